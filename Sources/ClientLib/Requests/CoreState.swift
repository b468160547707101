internal import ProxydHTTPModel

/// The mutable state of a request.
struct CoreState: Sendable {
    var phase = RequestState.initialized
    var retryCount = 0
    var error: ClientError?
    var lastRequest: HTTPRequest?
    /// The session's default fields that were sent with the request, or nil if it has not been sent
    /// yet.
    var sentDefaults: HeaderFields?
    /// The request as the adapters returned it, before redirects changed it.
    var adaptedRequest: HTTPRequest?
    /// Whether the request was retried because a newer credential was available.
    var didTryNewerCredential = false
    var lastResponse: ResponseHead?
    var attempts: [AttemptRecord] = []

    // Times on the monotonic clock, in nanoseconds; 0 if not reached. `wallStart` is wall-clock
    // time.
    var startNs: Int64 = 0
    var wallStart: Int64 = 0
    var completedNs: Int64 = 0

    /// Registers the start of the request with the session; returns an error if it must not start.
    var begin: @Sendable () -> ClientError? = { nil }

    // The running task.
    var task: Task<Void, Never>?
    var gate: UnsafeContinuation<Void, Never>?

    // What the caller has configured.
    /// Adapts the request and decides about retries; the session's interceptor is the first.
    var advisers: [RequestAdviser] = []
    /// Whether adapters are called.
    var isAdapted = true
    /// The transport used instead of the session's, such as a stub, or nil to use the session's.
    var transport: (any ClientTransport)?
    var validators: [Validator] = []
    /// The credential that answers challenges; used only for the request's first server.
    var credential: Credential?
    var credentialPersistence = CredentialPersistence.forSession
    /// Decides about redirects instead of the session's handler.
    var redirectHandler: (any RedirectHandler)?
    /// The receivers of the request's events; the session's monitors are the first.
    var listeners: [@Sendable (RequestEvent) -> Void] = []
    var headHandlers: [@Sendable (ResponseHead) async -> ResponseDisposition] = []
    var onDownloadProgress: [@Sendable (TransferProgress) -> Void] = []
    var onUploadProgress: [@Sendable (TransferProgress) -> Void] = []

    // The progress of transfers, if any caller has asked for it.
    var downloadProgress: TransferProgress?
    var uploadProgress: TransferProgress?
    /// Closures that run when the request ends.
    var endings: [@Sendable () -> Void] = []

    // The handlers that wait for the end.
    var handlers: [ResponseHandler] = []
    var completion: RequestOutcome?
    /// Whether handlers are being called.
    var isHandling = false

    /// When each step has happened so far.
    var timeline: RequestTimeline {
        RequestTimeline(
            wallStart: wallStart, startNs: startNs,
            completedNs: completedNs == 0 ? startNs : completedNs, attempts: attempts)
    }
}
