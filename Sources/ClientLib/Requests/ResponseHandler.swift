/// Someone who waits for the end of a request.
struct ResponseHandler: Sendable {
    /// What a handler made of it: its own failure, and how to tell its owner.
    struct Outcome: Sendable {
        let error: ClientError?
        let deliver: @Sendable () -> Void
    }

    /// Whether what came becomes a value; not so where it was handed on before.
    var isParsing = true
    /// Turns what came into a value.
    let handle: @Sendable (RequestOutcome, RequestRecord) async -> Outcome
}
