public import ProxydHTTPModel

/// The response to a request, and the value made from its body.
public struct DataResponse<Value: Sendable>: SerializedResponse {
    /// The request that was sent last, or nil if none could be sent.
    public let request: HTTPRequest?
    /// The head of the last response, or nil if none arrived.
    public let response: ResponseHead?
    /// The body with content codings removed, or nil if there was none.
    public let data: [UInt8]?
    /// When each step of the request happened.
    public let timeline: RequestTimeline
    /// The value, or the error if there is none.
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    /// Every attempt, including redirects, answered challenges and retries.
    public var exchanges: [Exchange] { attempts.map(\.exchange) }
}
