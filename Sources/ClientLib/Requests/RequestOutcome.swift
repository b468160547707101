internal import ProxydHTTPModel

/// The result of a request before it is converted to a value.
struct RequestOutcome: Sendable {
    var request: HTTPRequest?
    var response: ResponseHead?
    /// The body with content codings removed, or nil if there is none or a consumer took it.
    var data: [UInt8]?
    /// The number of body bytes received, with content codings removed, including those a consumer
    /// took.
    var receivedByteCount: Int64 = 0
    /// The path of a downloaded file.
    var filePath: String?
    /// What is needed to resume a download.
    var resumeData: DownloadResumeData?
    var error: ClientError?
}
