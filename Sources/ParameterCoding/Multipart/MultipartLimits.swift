/// Bounds on a multipart body. The contents of parts are streamed and have none.
public struct MultipartLimits: Sendable, Hashable {
    /// The longest boundary in octets: RFC 2046 §5.1.1 allows 70, some clients make more.
    public static let boundaryByteCountMax = Sniffer.boundaryByteCountMax

    /// The most parts.
    public var partCountMax: Int
    /// The longest head of one part, in octets.
    public var headByteCountMax: Int

    /// 10,000 parts and 16 KiB a head, unless told otherwise.
    public init(partCountMax: Int = 10_000, headByteCountMax: Int = 16 << 10) {
        self.partCountMax = partCountMax
        self.headByteCountMax = headByteCountMax
    }
}
