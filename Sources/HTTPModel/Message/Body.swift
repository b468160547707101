/// A recorded message body: without transfer coding, but with content coding (RFC 9112 §7).
public struct Body: Sendable, Hashable {
    /// The largest byte count accepted from external data, a pebibyte: higher numbers are not
    /// plausible, and their sums might overflow.
    public static let byteCountMax: Int64 = 1 << 50

    /// The number of bytes that passed.
    public var byteCount: Int64
    /// The first `kept.count` bytes of the body, which are stored.
    public var kept: [UInt8]
    /// Whether the rest was not read, because the message was put aside: a rule answered instead.
    public var isAbandoned = false

    /// Creates a body of which only the beginning is stored.
    public init(byteCount: Int64, kept: [UInt8]) {
        self.byteCount = byteCount
        self.kept = kept
    }

    /// Creates a body that is stored completely.
    public init(_ bytes: [UInt8] = []) {
        self.init(byteCount: Int64(bytes.count), kept: bytes)
    }

    /// Whether bytes of the body are missing: they were not stored, or not even read.
    public var isTruncated: Bool { isAbandoned || byteCount > Int64(kept.count) }
}
