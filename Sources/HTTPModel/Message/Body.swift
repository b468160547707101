/// A message body as recorded: content after transfer-coding, content-coding kept (RFC 9112 §7).
public struct Body: Sendable, Hashable {
    /// The most octets that somebody else's word is taken for, a pebibyte: a higher number is no
    /// count of octets, and sums of such numbers would not fit.
    public static let byteCountMax: Int64 = 1 << 50

    /// Octets that passed.
    public var byteCount: Int64
    /// Octets that were kept: the first `kept.count` of them.
    public var kept: [UInt8]

    /// A body of which `kept` is the beginning.
    public init(byteCount: Int64, kept: [UInt8]) {
        self.byteCount = byteCount
        self.kept = kept
    }

    /// A body kept whole.
    public init(_ octets: [UInt8] = []) {
        self.init(byteCount: Int64(octets.count), kept: octets)
    }

    /// Whether octets passed that were not kept.
    public var isTruncated: Bool { byteCount > Int64(kept.count) }
}
