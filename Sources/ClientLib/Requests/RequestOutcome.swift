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

/// Someone who waits for the end of a request.
struct ResponseHandler: Sendable {
    /// What a handler made of it: its own failure, and how to tell its owner.
    struct Outcome: Sendable {
        let error: ClientError?
        let deliver: @Sendable () -> Void
    }

    /// Whether what came becomes a value; not so where it was handed on before.
    var isParsing = true
    /// Turns what came into a value.
    let handle: @Sendable (RequestOutcome, any ClientRequest) async -> Outcome
}
