/// Bounds on what is read of one message.
public struct ProtobufLimits: Sendable, Hashable {
    /// The deepest nesting of messages and groups; what is deeper is shown as bytes.
    public var depthMax: Int
    /// The most values that are shown, those of nested messages and of packed fields too.
    public var valueCountMax: Int
    /// The most fields that are stepped over, looks at what bytes could be among them; what is
    /// looked at byte by byte counts one for every 16 bytes.
    public var stepCountMax: Int

    /// 100 levels, as other implementations have it, 250,000 values and 16,777,216 steps, unless
    /// told otherwise.
    public init(
        depthMax: Int = 100, valueCountMax: Int = 250_000, stepCountMax: Int = 1 << 24
    ) {
        self.depthMax = depthMax
        self.valueCountMax = valueCountMax
        self.stepCountMax = stepCountMax
    }
}
