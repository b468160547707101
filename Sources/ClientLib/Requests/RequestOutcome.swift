internal import ProxydHTTPModel

/// What came of a request, before anybody turned it into a value.
struct RequestOutcome: Sendable {
    var request: HTTPRequest?
    var response: ResponseHead?
    /// The body, content codings undone; nil where there is none, or where it went elsewhere.
    var data: [UInt8]?
    /// Bytes of the body that came, content codings undone, wherever they went.
    var receivedByteCount: Int64 = 0
    /// Where a download lies.
    var filePath: String?
    /// With what a download can be gone on with.
    var resumeData: DownloadResumeData?
    var error: ClientError?
}
