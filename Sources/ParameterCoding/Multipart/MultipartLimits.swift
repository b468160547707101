/// Bounds on a multipart body. The contents of parts are streamed and not limited.
public struct MultipartLimits: Sendable, Hashable {
    /// The maximum length of a boundary in bytes: RFC 2046 §5.1.1 allows 70, some clients use more.
    public static let boundaryByteCountMax = Sniffer.boundaryByteCountMax

    /// The maximum number of parts.
    public var partCountMax: Int
    /// The maximum length of one part's head, in bytes.
    public var headByteCountMax: Int

    /// Defaults to 10,000 parts and 16 KiB per head.
    public init(partCountMax: Int = 10_000, headByteCountMax: Int = 16 << 10) {
        self.partCountMax = partCountMax
        self.headByteCountMax = headByteCountMax
    }
}
