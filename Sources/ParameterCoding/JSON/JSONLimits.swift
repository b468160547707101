/// Bounds on the JSON text that is read.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects. Values over 1,024 mean 1,024: freeing a tree
    /// takes stack for each level.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    /// The longest text, in octets.
    public var byteCountMax: Int

    /// 512 levels and 64 MiB, unless told otherwise.
    public init(depthMax: Int = 512, byteCountMax: Int = 64 << 20) {
        self.depthMax = min(depthMax, 1_024)
        self.byteCountMax = byteCountMax
    }
}
