internal import ProxydCaptureModel

/// The range of exchange numbers that one of several reads covers.
struct LookWindow {
    let lowest: Int64
    let highest: Int64
    /// The share of all numbers that is covered after this window, 0 to 1.
    let share: Double

    /// The bounds, as parameters of a statement.
    var values: [SQLValue] { [.integer(lowest), .integer(highest)] }
}
