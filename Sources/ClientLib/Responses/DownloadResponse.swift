public import FoundationEssentials
public import ProxydHTTPModel

/// The response to a download, and the value made from its file.
public struct DownloadResponse<Value: Sendable>: SerializedResponse {
    /// The request that was sent last, or nil if none could be sent.
    public let request: HTTPRequest?
    /// The head of the last response, or nil if none arrived.
    public let response: ResponseHead?
    /// The downloaded file, or nil if there is none.
    public let fileURL: URL?
    /// What is needed to resume the download if it ended early.
    public let resumeData: DownloadResumeData?
    /// When each step of the request happened.
    public let timeline: RequestTimeline
    /// The value, or the error if there is none.
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    /// Every attempt, including redirects, answered challenges and retries.
    public var exchanges: [Exchange] { attempts.map(\.exchange) }
}
