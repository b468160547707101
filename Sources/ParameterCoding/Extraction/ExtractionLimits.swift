/// Bounds on what is extracted from one request; anything beyond them is left out.
public struct ExtractionLimits: Sendable, Hashable {
    /// The maximum number of parameters of one request.
    public var parameterCountMax: Int
    /// The maximum total size of all names and values, in bytes of UTF-8.
    public var textByteCountMax: Int
    /// The maximum size of one value in bytes of UTF-8; a longer one is truncated.
    public var valueByteCountMax: Int

    /// Defaults to 1,000 parameters, 1 MiB of text and 64 KiB per value.
    public init(
        parameterCountMax: Int = 1_000,
        textByteCountMax: Int = 1 << 20,
        valueByteCountMax: Int = 64 << 10
    ) {
        self.parameterCountMax = parameterCountMax
        self.textByteCountMax = textByteCountMax
        self.valueByteCountMax = valueByteCountMax
    }
}
