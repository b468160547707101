/// One value that a filter tests, its position, and when it becomes known. Used to report tests
/// that come too late.
public struct FilterLook: Sendable, Hashable {
    /// The field or operator: `status`, `~c`; `url` for a plain word.
    public let name: String
    /// The position in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    /// When the tested value becomes known.
    public let moment: FilterMoment
}
