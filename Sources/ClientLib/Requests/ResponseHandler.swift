/// A handler that waits for the end of a request.
struct ResponseHandler: Sendable {
    /// The result of a handler: its own failure, and the closure that informs the caller.
    struct Outcome: Sendable {
        let error: ClientError?
        let deliver: @Sendable () -> Void
    }

    /// Whether the handler converts the response to a value; false if the response was delivered
    /// earlier.
    var isParsing = true
    /// Converts the response to a value.
    let handle: @Sendable (RequestOutcome, RequestRecord) async -> Outcome
}
