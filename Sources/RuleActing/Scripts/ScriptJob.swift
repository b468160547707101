internal import ProxydRules

/// A question on its way to a script.
struct ScriptJob: Sendable {
    let question: ScriptQuestion
    /// When there has to be an answer, in nanoseconds of the monotonic clock.
    let deadline: Int64
    /// The longest time to answer, in milliseconds.
    let timeoutMilliseconds: Int
    /// Hears what came of it, once, on any thread.
    let done: @Sendable (ScriptEnd) -> Void

    /// It was not answered in time.
    func timeOut(isAsked: Bool) {
        let what = isAsked ? "no answer" : "still busy with others"
        done(.failed("\(what) after \(timeoutMilliseconds) ms"))
    }
}
