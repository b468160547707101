public import Foundation
public import ProxydHTTPModel

/// What came of a download, and the value that was made of it.
public struct DownloadResponse<Value: Sendable>: Sendable {
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
    /// The value; nil where there is none.
    public var value: Value? { try? result.get() }
    /// Why there is no value; nil where there is one.
    public var error: ClientError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The same response with its value turned into another.
    public func map<Other: Sendable>(
        _ transform: (Value) -> Other
    ) -> DownloadResponse<Other> {
        DownloadResponse<Other>(
            request: request, response: response, fileURL: fileURL, resumeData: resumeData,
            timeline: timeline, result: result.map(transform), attempts: attempts)
    }
}
