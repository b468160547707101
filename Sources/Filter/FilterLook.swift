/// One thing that a filter looks at, and when that is known: to say what comes too late, and where.
public struct FilterLook: Sendable, Hashable {
    /// The field or operator: `status`, `~c`; `url` for a word.
    public let name: String
    /// Where it stands in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    /// When it is known.
    public let moment: FilterMoment
}
