/// Bounds on the tree that is built from pairs.
public struct ParameterTreeLimits: Sendable, Hashable {
    /// The maximum number of levels below the root; deeper names are kept as text. The value is
    /// capped at 512: freeing a tree uses stack for each level.
    public let depthMax: Int
    /// The maximum number of values in the tree; a container counts as one, and so does each name
    /// in it.
    public let valueCountMax: Int

    /// Defaults to 64 levels and 2,097,152 values.
    public init(depthMax: Int = URLEncoding.depthMax, valueCountMax: Int = 2 << 20) {
        self.depthMax = min(depthMax, 512)
        self.valueCountMax = valueCountMax
    }
}
