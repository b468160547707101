/// Limits for decoding one message.
public struct ProtobufLimits: Sendable, Hashable {
    /// The maximum nesting depth of messages and groups; deeper ones are shown as bytes.
    public var depthMax: Int
    /// The maximum number of values shown, including those of nested messages and packed fields.
    public var valueCountMax: Int
    /// The maximum number of fields visited, including attempts to interpret bytes; bytes that are
    /// examined individually count as one step per 16 bytes.
    public var stepCountMax: Int

    /// Defaults to 100 levels, as in other implementations, 250,000 values and 16,777,216 steps.
    public init(
        depthMax: Int = 100, valueCountMax: Int = 250_000, stepCountMax: Int = 1 << 24
    ) {
        self.depthMax = depthMax
        self.valueCountMax = valueCountMax
        self.stepCountMax = stepCountMax
    }
}
