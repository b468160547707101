/// Bounds on the property list that is read.
public struct PropertyListLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and dictionaries. Values over 1,024 mean 1,024: freeing a
    /// tree takes stack for each level.
    public let depthMax: Int
    /// The most octets of the list, and of the texts and data that it unfolds to: a binary list
    /// can refer to one object many times.
    public let byteCountMax: Int
    /// The most values that a list unfolds to, containers and names included.
    public let valueCountMax: Int

    /// 512 levels, 64 MiB and 4,194,304 values, unless told otherwise.
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
