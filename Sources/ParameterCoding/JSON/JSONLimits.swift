/// Bounds on a JSON text to parse.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects. The value is capped at 1,024: freeing a
    /// tree uses stack for each level.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    /// The maximum length of a text in bytes.
    public var byteCountMax: Int

    /// Defaults to 512 levels and 64 MiB.
    public init(depthMax: Int = 512, byteCountMax: Int = 64 << 20) {
        self.depthMax = min(depthMax, 1_024)
        self.byteCountMax = byteCountMax
    }
}
