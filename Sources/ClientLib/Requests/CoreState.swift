internal import ProxydHTTPModel

/// What changes in the life of a request.
struct CoreState: Sendable {
    var phase = RequestState.initialized
    var retryCount = 0
    var error: ClientError?
    var lastRequest: HTTPRequest?
    /// The session's fields that went along with it; nil where it was not sent so far.
    var sentDefaults: HeaderFields?
    /// What the adapters made of the request, before redirects changed it.
    var adaptedRequest: HTTPRequest?
    /// Whether it was sent again because a newer credential was there.
    var didTryNewerCredential = false
    var lastResponse: ResponseHead?
    var attempts: [AttemptRecord] = []

    // When, on the monotonic clock; 0 for not yet.
    var startNs: Int64 = 0
    var wallStart: Int64 = 0
    var completedNs: Int64 = 0

    /// Has the session note that the request starts; gives why it may not.
    var begin: @Sendable () -> ClientError? = { nil }

    // What runs.
    var task: Task<Void, Never>?
    var gate: UnsafeContinuation<Void, Never>?

    // What was asked for.
    /// Who is asked to adapt it, and about its failures; the session's interceptor is the first.
    var advisers: [RequestAdviser] = []
    /// Whether adapters are asked.
    var isAdapted = true
    /// What sends the request in place of the session's transport: a stub. Nil for the session's.
    var transport: (any ClientTransport)?
    var validators: [Validator] = []
    /// What the request proves itself with where it is asked; for its first server only.
    var credential: Credential?
    var credentialPersistence = CredentialPersistence.forSession
    /// Decides about redirects in place of the session's.
    var redirectHandler: (any RedirectHandler)?
    /// Who is told what happens to it; the session's monitors are the first.
    var listeners: [@Sendable (RequestEvent) -> Void] = []
    var headHandlers: [@Sendable (ResponseHead) async -> ResponseDisposition] = []
    var onDownloadProgress: [@Sendable (TransferProgress) -> Void] = []
    var onUploadProgress: [@Sendable (TransferProgress) -> Void] = []

    // How far transfers are, where someone asked to be told.
    var downloadProgress: TransferProgress?
    var uploadProgress: TransferProgress?
    /// What ends with the request.
    var endings: [@Sendable () -> Void] = []

    // Who waits for the end.
    var handlers: [ResponseHandler] = []
    var completion: RequestOutcome?
    /// Whether handlers are being run.
    var isHandling = false

    /// When everything happened so far.
    var timeline: RequestTimeline {
        RequestTimeline(
            wallStart: wallStart, startNs: startNs,
            completedNs: completedNs == 0 ? startNs : completedNs, attempts: attempts)
    }
}
