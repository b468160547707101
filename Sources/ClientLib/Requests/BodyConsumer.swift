internal import ProxydHTTPModel

/// Takes a response's body somewhere else than into memory. Called by the request's own task, one
/// call at a time.
protocol BodyConsumer: AnyObject, Sendable {
    /// Whether it wants bytes as soon as they come, however few.
    var wantsPiecesAtOnce: Bool { get }
    /// Whether it takes bytes as they came, content codings not undone.
    var takesCodedOctets: Bool { get }
    /// Changes what is sent, such as by asking for a range only. Called for each attempt.
    func prepare(_ request: inout HTTPRequest) throws(ClientError)
    /// Whether validators look at a response when its head is there, and not once it is whole.
    var isValidatedAtHead: Bool { get }
    /// Whether a failure may be mended by sending the request again.
    var isRetryable: Bool { get }
    /// Whether it wants no more of the response, which may go on: the connection is closed.
    var isSatisfied: Bool { get }
    /// The request is on its way by a call. Called for each attempt and each hop of it.
    func begin(over call: any TransportCall)
    /// The request is about to be cancelled. On any thread.
    func willCancel()
    /// The final response's head came. `isIdentity` says whether bytes come as they were sent.
    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError)
    /// Of what the response is a part, known from `begin` on; nil where it is a whole.
    var range: ContentRange? { get }
    /// The next bytes, content codings undone.
    func take(_ octets: [UInt8]) async throws(ClientError)
    /// All bytes came.
    func finish(_ completion: inout RequestOutcome) async throws(ClientError)
    /// The response was accepted by the validators.
    func settle(_ completion: inout RequestOutcome) async throws(ClientError)
    /// The attempt failed.
    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async
}

extension BodyConsumer {
    var wantsPiecesAtOnce: Bool { false }
    var takesCodedOctets: Bool { false }
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
