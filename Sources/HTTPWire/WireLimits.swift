/// The limits above which a decoder refuses a message; all numbers are counts of bytes or items.
public struct WireLimits: Sendable, Hashable {
    /// The maximum length of a request line without its CRLF; above it 414 (RFC 9112 §3 recommends
    /// at least 8,000).
    public var requestLineByteCountMax = 65_536
    /// The maximum length of a method; above it 501 (RFC 9112 §3).
    public var methodByteCountMax = 256
    /// The maximum size of a complete request head, including start line and empty line; above it
    /// 431.
    public var headByteCountMax = 262_144
    /// The maximum number of field lines in a request's head or trailer section; above it 431.
    public var fieldCountMax = 1_000
    /// The maximum size of a complete response head, including start line and empty line.
    public var responseHeadByteCountMax = 307_200
    /// The maximum number of field lines in a response's head or trailer section.
    public var responseFieldCountMax = 1_500
    /// The maximum size of a trailer section including its empty line; above it 431.
    public var trailerByteCountMax = 65_536
    /// The maximum length of one chunk-size line without its CRLF.
    public var chunkLineByteCountMax = 4_096
    /// The maximum total length of a message's chunk extensions (RFC 9112 §7.1.1).
    public var chunkExtensionsByteCountMax = 65_536
    /// The maximum number of interim responses before a final one.
    public var informationalCountMax = 32
    /// The maximum number of empty lines skipped before a request line (RFC 9112 §2.2).
    public var emptyLineCountMax = 8

    /// Whether responses must conform to the grammar and the limits for requests, except for what
    /// RFC 9112 allows a recipient to repair. Otherwise all `ResponseRepairs` are made.
    public var hasStrictResponses = false

    /// Creates the default limits.
    public init() {}

    func headByteCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? headByteCountMax : responseHeadByteCountMax
    }

    func fieldCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? fieldCountMax : responseFieldCountMax
    }
}
