/// Bounds on a property list to parse.
public struct PropertyListLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and dictionaries. The value is capped at 1,024: freeing
    /// a tree uses stack for each level.
    public let depthMax: Int
    /// The maximum size of the list in bytes, and of its expanded texts and data: a binary list can
    /// refer to one object many times.
    public let byteCountMax: Int
    /// The maximum number of expanded values, including containers and names.
    public let valueCountMax: Int

    /// Defaults to 512 levels, 64 MiB and 4,194,304 values.
    public init(
        depthMax: Int = 512,
        byteCountMax: Int = 64 << 20,
        valueCountMax: Int = 4 << 20
    ) {
        self.depthMax = min(depthMax, 1_024)
        self.byteCountMax = byteCountMax
        self.valueCountMax = valueCountMax
    }
}
