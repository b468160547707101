internal import HTTPModel

/// What changes in the life of a request.
struct CoreState: Sendable {
    var phase = RequestState.initialized
    var retryCount = 0
    var error: ClientError?
    var lastRequest: HTTPRequest?
    var lastResponse: ResponseHead?
    var attempts: [AttemptRecord] = []

    // When, on the monotonic clock; 0 for not yet.
    var startNs: Int64 = 0
    var wallStart: Int64 = 0
    var completedNs: Int64 = 0

    // What runs.
    var task: Task<Void, Never>?
    var gate: UnsafeContinuation<Void, Never>?

    // What was asked for.
    var interceptors: [any RequestInterceptor] = []
    var validators: [Validator] = []
    var monitors: [any EventMonitor] = []
    var headHandlers: [@Sendable (ResponseHead) async -> ResponseDisposition] = []
    var onDownloadProgress: [@Sendable (TransferProgress) -> Void] = []
    var onUploadProgress: [@Sendable (TransferProgress) -> Void] = []

    // Who waits for the end.
    var handlers: [ResponseHandler] = []
    var completion: Completion?
    /// Whether handlers are being run.
    var isHandling = false
}
