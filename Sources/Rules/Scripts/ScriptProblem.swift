/// Why a line of a script is no answer, or cannot be done.
struct ScriptProblem: Error, Equatable {
    /// In words for a person; may have text of the script's in it.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
