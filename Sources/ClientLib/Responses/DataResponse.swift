public import ProxydHTTPModel

/// What came of a request, and the value that was made of it.
public struct DataResponse<Value: Sendable>: SerializedResponse {
    /// What was sent last; nil where nothing could be.
    public let request: HTTPRequest?
    /// The head of the last response; nil where none came.
    public let response: ResponseHead?
    /// The body, content codings undone; nil where there was none.
    public let data: [UInt8]?
    /// When everything happened.
    public let timeline: RequestTimeline
    /// The value, or why there is none.
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    /// Every attempt: redirects, answered challenges and retries included.
    public var exchanges: [Exchange] { attempts.map(\.exchange) }
}
