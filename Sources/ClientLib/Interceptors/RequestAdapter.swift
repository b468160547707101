internal import HTTPModel

/// Changes requests before they are sent: adds a token, signs, redirects to another host.
public protocol RequestAdapter: Sendable {
    /// The request to send in place of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent; retriers are asked what to do about it.
    func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest
}

/// What an adapter may want to know.
public struct RequestAdapterState: Sendable {
    /// The number of the request.
    public let requestID: UInt64
    /// How often the request has been sent again so far.
    public let retryCount: Int
    /// The session that sends it.
    public let session: Session
}
