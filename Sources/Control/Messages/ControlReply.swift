/// One line from the daemon: the outcome of a request, or news for a subscription.
public struct ControlReply: Sendable, Hashable, Codable {
    /// The number of the request this answers; 0 where the request could not be read.
    public var id: Int64
    /// What came of it, when it succeeded.
    public var result: ControlResult?
    /// Why it failed, when it did.
    public var error: ControlError?
    /// News, for a subscription.
    public var event: ControlEvent?

    /// The outcome of a request.
    public init(id: Int64, outcome: Result<ControlResult, ControlError>) {
        self.id = id
        switch outcome {
        case .success(let result): self.result = result
        case .failure(let error): self.error = error
        }
    }

    /// News for a subscription.
    public init(id: Int64, event: ControlEvent) {
        self.id = id
        self.event = event
    }
}
