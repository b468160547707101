/// Bounds on what is extracted from one request; what lies behind them is not extracted.
public struct ExtractionLimits: Sendable, Hashable {
    /// The most parameters of one request.
    public var parameterCountMax: Int
    /// The most octets of UTF-8 that all names and values have together.
    public var textByteCountMax: Int
    /// The most octets of UTF-8 of one value; a longer one is cut.
    public var valueByteCountMax: Int

    /// 1,000 parameters, 1 MiB of text, 64 KiB a value, unless told otherwise.
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
