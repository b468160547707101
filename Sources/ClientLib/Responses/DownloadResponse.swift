public import Foundation
public import ProxydHTTPModel

/// What came of a download, and the value that was made of it.
public struct DownloadResponse<Value: Sendable>: SerializedResponse {
    /// What was sent last; nil where nothing could be.
    public let request: HTTPRequest?
    /// The head of the last response; nil where none came.
    public let response: ResponseHead?
    /// Where the file lies; nil where there is none.
    public let fileURL: URL?
    /// With what it can be gone on with, where it ended early.
    public let resumeData: DownloadResumeData?
    /// When everything happened.
    public let timeline: RequestTimeline
    /// The value, or why there is none.
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    /// Every attempt.
    public var exchanges: [Exchange] { attempts.map(\.exchange) }
}
