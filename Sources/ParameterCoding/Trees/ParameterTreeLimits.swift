/// Bounds on the tree that is made of pairs.
public struct ParameterTreeLimits: Sendable, Hashable {
    /// The most levels below the root; names with more are kept as text. Values over 512 mean
    /// 512: freeing a tree takes stack for each level.
    public let depthMax: Int
    /// The most values in the tree; a container counts as one, and so does a name's place in it.
    public let valueCountMax: Int

    /// 64 levels and 2,097,152 values, unless told otherwise.
    public init(depthMax: Int = URLEncoding.depthMax, valueCountMax: Int = 2 << 20) {
        self.depthMax = min(depthMax, 512)
        self.valueCountMax = valueCountMax
    }
}
