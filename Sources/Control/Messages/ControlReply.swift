/// One line from the daemon: the result of a request, or an event of a subscription.
public struct ControlReply: Sendable, Hashable, Codable {
    /// The number of the request; 0 if the request could not be decoded.
    public var id: Int64
    /// The result if the request succeeded.
    public var result: ControlResult?
    /// The error if the request failed.
    public var error: ControlError?
    /// An event of a subscription.
    public var event: ControlEvent?

    /// The reply to a request.
    public init(id: Int64, outcome: Result<ControlResult, ControlError>) {
        self.id = id
        switch outcome {
        case .success(let result): self.result = result
        case .failure(let error): self.error = error
        }
    }

    /// An event of a subscription.
    public init(id: Int64, event: ControlEvent) {
        self.id = id
        self.event = event
    }
}
