internal import ProxydHTTPModel

/// Receives a response's body instead of collecting it in memory. Called by the request's own task,
/// one call at a time.
protocol BodyConsumer: AnyObject, Sendable {
    /// Whether it wants bytes as soon as they arrive, however few.
    var wantsPiecesAtOnce: Bool { get }
    /// Whether it takes the bytes as received, with content codings still applied.
    var takesCodedBytes: Bool { get }
    /// Changes the request before it is sent, for example to request only a range. Called for each
    /// attempt.
    func prepare(_ request: inout HTTPRequest) throws(ClientError)
    /// Whether validators check a response when its head has arrived, and not once it is complete.
    var isValidatedAtHead: Bool { get }
    /// Whether the request may be sent again after a failure.
    var isRetryable: Bool { get }
    /// Whether it needs no more of a response that may still continue; the connection is then
    /// closed.
    var isSatisfied: Bool { get }
    /// The request is being sent by a call. Called for each attempt and each of its hops.
    func begin(over call: any TransportCall)
    /// The request is about to be cancelled. May be called on any thread.
    func willCancel()
    /// The final response's head has arrived. `isIdentity` says that no content coding was removed.
    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError)
    /// The range that the response contains, known after `begin`, or nil if it is the whole.
    var range: ContentRange? { get }
    /// The next bytes, with content codings removed.
    func take(_ bytes: [UInt8]) async throws(ClientError)
    /// All bytes have arrived.
    func finish(_ completion: inout RequestOutcome) async throws(ClientError)
    /// The response was accepted by the validators.
    func settle(_ completion: inout RequestOutcome) async throws(ClientError)
    /// The attempt failed.
    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async
}

extension BodyConsumer {
    var wantsPiecesAtOnce: Bool { false }
    var takesCodedBytes: Bool { false }
    var range: ContentRange? { nil }
    var isValidatedAtHead: Bool { false }
    var isRetryable: Bool { true }
    var isSatisfied: Bool { false }
    func begin(over call: any TransportCall) {}
    func willCancel() {}
    func prepare(_ request: inout HTTPRequest) throws(ClientError) {}
    func settle(_ completion: inout RequestOutcome) async throws(ClientError) {}
    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async {}
}
