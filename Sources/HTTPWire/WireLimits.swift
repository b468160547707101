/// How much of each thing a decoder takes before it refuses; every number is a byte or item count.
public struct WireLimits: Sendable, Hashable {
    /// Octets of a request line without its CRLF; beyond it 414 (RFC 9112 §3 asks for 8,000).
    public var requestLineByteCountMax = 65_536
    /// Octets of a method; beyond it 501 (RFC 9112 §3).
    public var methodByteCountMax = 256
    /// Bytes of a whole request head, start line and empty line included; beyond it 431.
    public var headByteCountMax = 262_144
    /// Field lines of a request's head or trailer section; beyond it 431.
    public var fieldCountMax = 1_000
    /// Bytes of a whole response head, start line and empty line included.
    public var responseHeadByteCountMax = 307_200
    /// Field lines of a response's head or trailer section.
    public var responseFieldCountMax = 1_500
    /// Octets of a trailer section, its empty line included; beyond it 431.
    public var trailerByteCountMax = 65_536
    /// Octets of one chunk-size line without its CRLF.
    public var chunkLineByteCountMax = 4_096
    /// Octets of all chunk extensions of one message (RFC 9112 §7.1.1).
    public var chunkExtensionsByteCountMax = 65_536
    /// Interim responses before a final one.
    public var informationalCountMax = 32
    /// Empty lines skipped before a request line (RFC 9112 §2.2).
    public var emptyLineCountMax = 8

    /// Whether responses are held to the grammar and to the limits of requests, but for what
    /// RFC 9112 lets a recipient repair; else all of `ResponseRepairs` are made.
    public var hasStrictResponses = false

    /// The defaults.
    public init() {}

    func headByteCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? headByteCountMax : responseHeadByteCountMax
    }

    func fieldCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? fieldCountMax : responseFieldCountMax
    }
}
