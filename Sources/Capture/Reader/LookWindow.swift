/// The numbers that one read of many looks at.
struct LookWindow {
    let lowest: Int64
    let highest: Int64
    /// The share of all numbers that was looked at when this is done, 0 to 1.
    let share: Double

    /// Its bounds, for the parameters of a statement.
    var values: [SQLValue] { [.integer(lowest), .integer(highest)] }
}
