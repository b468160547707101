internal import ProxydRules

/// A question that waits for a script.
struct ScriptJob: Sendable {
    let question: ScriptQuestion
    /// When the question times out, in nanoseconds of the monotonic clock.
    let deadline: Int64
    /// The timeout for an answer, in milliseconds.
    let timeoutMilliseconds: Int
    /// Called with the result, once, on any thread.
    let done: @Sendable (ScriptEnd) -> Void

    /// Fails the question because of its timeout.
    func timeOut(isAsked: Bool) {
        let what = isAsked ? "no answer" : "still busy with other messages"
        done(.failed("\(what) after \(timeoutMilliseconds) ms"))
    }
}
