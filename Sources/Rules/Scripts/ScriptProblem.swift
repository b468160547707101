/// Why a line of a script is not an answer, or cannot be applied.
struct ScriptProblem: Error, Equatable {
    /// A message for the user; may contain text from the script.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
