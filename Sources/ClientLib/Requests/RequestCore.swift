internal import ProxydHTTPModel
internal import Synchronization

/// What all kinds of requests share: their state, and the receivers of their events.
public final class RequestCore: Sendable {
    /// The number of the request, unique within the process.
    public let id: UInt64
    let host: any RequestHost
    /// Creates the request to send; called again for each retry.
    let build: @Sendable () async throws -> HTTPRequest
    /// Receives the response's body, or nil to collect it in memory.
    let consumer: (any BodyConsumer)?
    private let state: Mutex<CoreState>

    private static let lastID = Atomic<UInt64>(0)

    init(
        host: any RequestHost, consumer: (any BodyConsumer)? = nil,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) {
        self.consumer = consumer
        id = RequestCore.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.host = host
        self.build = build
        state = Mutex(CoreState())
    }

    func read<Value: Sendable>(_ body: (CoreState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    func change<Value: Sendable>(_ body: (inout sending CoreState) -> sending Value) -> Value {
        state.withLock(body)
    }

    /// Changes the request's settings; has no effect on steps that are already done.
    func configure(_ body: (inout CoreState) -> Void) { state.withLock { body(&$0) } }

    /// Sends an event to all listeners; costs nothing if there are none.
    func emit(_ event: @autoclosure () -> RequestEvent) {
        let listeners = read(\.listeners)
        if listeners.isEmpty { return }
        let event = event()
        for listener in listeners { listener(event) }
    }

    var timeline: RequestTimeline { read(\.timeline) }
}

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

    var task: Task<Void, Never>?
    var gate: UnsafeContinuation<Void, Never>?

    // What the caller has configured.
    /// Adapts the request and decides about retries; the session's interceptor is the first.
    var interceptors: [BoundInterceptor] = []
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
    var isHandling = false

    var timeline: RequestTimeline {
        RequestTimeline(
            wallStart: wallStart, startNs: startNs,
            completedNs: completedNs == 0 ? startNs : completedNs, attempts: attempts)
    }
}

extension RequestCore {
    /// Whether any caller wants progress for each piece of a response.
    var reportsDownloadProgress: Bool {
        read { !$0.listeners.isEmpty || !$0.onDownloadProgress.isEmpty }
    }

    /// Whether any caller wants progress for each piece of a request's body.
    var reportsUploadProgress: Bool {
        read { !$0.listeners.isEmpty || !$0.onUploadProgress.isEmpty }
    }

    /// Whether the head of a response is needed before its body.
    var wantsHeadAtOnce: Bool {
        consumer?.wantsPiecesAtOnce == true || reportsDownloadProgress
            || read { !$0.headHandlers.isEmpty }
    }

    func noteDownload(_ progress: TransferProgress) {
        let handlers = change { state in
            state.downloadProgress = progress
            return state.onDownloadProgress
        }
        for handler in handlers { handler(progress) }
        emit(.didReceiveBody(progress))
    }

    func noteUpload(_ progress: TransferProgress) {
        let handlers = change { state in
            state.uploadProgress = progress
            return state.onUploadProgress
        }
        for handler in handlers { handler(progress) }
        emit(.didSend(progress))
    }
}

/// What a request needs from the session that made it. The session's connections live as long as
/// any of its requests.
protocol RequestHost: AnyObject, Sendable {
    var configuration: SessionConfiguration { get }
    /// The default fields after validation; if any is invalid, every request fails.
    var defaults: Result<HeaderFields, ClientError> { get }
    /// Sends requests that have no transport of their own.
    var transport: any ClientTransport { get }
    /// Decides about redirects of requests without their own handler.
    var redirectHandler: any RedirectHandler { get }
    func unregister(_ id: UInt64)
}

/// An interceptor bound to one request and its session.
struct BoundInterceptor: Sendable {
    let adapt: @Sendable (HTTPRequest) async throws -> HTTPRequest
    let retry: @Sendable (ClientError) async -> RetryResult
}

/// A retrier's decision.
public enum RetryResult: Sendable {
    case retry
    case retryWithDelay(Duration)
    /// Do not retry; the next retrier is asked.
    case doNotRetry
    /// Do not retry, and fail the request with this error; no other retrier is asked.
    case doNotRetryWithError(any Error)

    /// Retry after a delay in seconds; immediately if it is negative or NaN.
    public static func retryWithDelay(_ seconds: Double) -> RetryResult {
        .retryWithDelay(Duration.clamping(seconds: seconds))
    }
}

/// The types whose default implementation of one method form was called and is now calling the
/// other form.
///
/// If a type implements no form, the defaults would call each other forever; here each can see that
/// the other called it.
enum AskedForm {
    /// An adapter without an `async` `adapt`.
    @TaskLocal static var adapter: ObjectIdentifier?
    /// A retrier without an `async` `retry`.
    @TaskLocal static var retrier: ObjectIdentifier?
    /// A serializer without `serialize(_:)`.
    @TaskLocal static var serializer: ObjectIdentifier?
}

struct Validator: Sendable {
    let validate: @Sendable (RequestOutcome) throws(ClientError) -> Void
}

/// What to do after the head of a response has been checked.
public enum ResponseDisposition: Sendable, Hashable {
    case allow
    case cancel
}

/// A handler that waits for the end of a request.
struct ResponseHandler: Sendable {
    /// The result of a handler: its own failure, and the closure that informs the caller.
    struct Outcome: Sendable {
        let error: ClientError?
        let deliver: @Sendable () -> Void
    }

    /// Whether the handler converts the response to a value; false if the response was delivered
    /// earlier.
    var isParsing = true
    /// Converts the response to a value.
    let handle: @Sendable (RequestOutcome, RequestRecord) async -> Outcome
}

/// The times and attempts of a request when its handlers run.
struct RequestRecord: Sendable {
    var timeline: RequestTimeline
    /// Every attempt, including redirects, answered challenges and retries.
    let attempts: [AttemptRecord]
}

/// The result of a request before it is converted to a value.
struct RequestOutcome: Sendable {
    var request: HTTPRequest?
    var response: ResponseHead?
    /// The body with content codings removed, or nil if there is none or a consumer took it.
    var data: [UInt8]?
    /// The number of body bytes received, with content codings removed, including those a consumer
    /// took.
    var receivedByteCount: Int64 = 0
    var filePath: String?
    var resumeData: DownloadResumeData?
    var error: ClientError?
}

/// Receives a response's body instead of collecting it in memory. Called by the request's own task,
/// one call at a time.
protocol BodyConsumer: AnyObject, Sendable {
    /// Whether it wants bytes as soon as they arrive, however few.
    var wantsPiecesAtOnce: Bool { get }
    /// Whether it takes the bytes as received, with content codings still applied.
    var takesCodedBytes: Bool { get }
    /// Changes the request before it is sent, for example to request only a range. Called for each
    /// attempt.
    func prepare(_ request: inout HTTPRequest) throws(ClientError)
    /// Whether validators check a response when its head has arrived, and not once it is complete.
    var isValidatedAtHead: Bool { get }
    /// Whether the request may be sent again after a failure.
    var isRetryable: Bool { get }
    /// Whether it needs no more of a response that may still continue; the connection is then
    /// closed.
    var isSatisfied: Bool { get }
    /// The request is being sent by a call. Called for each attempt and each of its hops.
    func begin(over call: any TransportCall)
    /// The request is about to be cancelled. May be called on any thread.
    func willCancel()
    /// The final response's head has arrived. `isIdentity` says that no content coding was removed.
    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError)
    /// The range that the response contains, known after `begin`, or nil if it is the whole.
    var range: ContentRange? { get }
    /// The next bytes, with content codings removed.
    func take(_ bytes: [UInt8]) async throws(ClientError)
    func finish(_ completion: inout RequestOutcome) async throws(ClientError)
    /// The response was accepted by the validators.
    func settle(_ completion: inout RequestOutcome) async throws(ClientError)
    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async
}

extension BodyConsumer {
    var wantsPiecesAtOnce: Bool { false }
    var takesCodedBytes: Bool { false }
    var range: ContentRange? { nil }
    var isValidatedAtHead: Bool { false }
    var isRetryable: Bool { true }
    var isSatisfied: Bool { false }
    func begin(over call: any TransportCall) {}
    func willCancel() {}
    func prepare(_ request: inout HTTPRequest) throws(ClientError) {}
    func settle(_ completion: inout RequestOutcome) async throws(ClientError) {}
    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async {}
}

/// The bytes that a 206 response contains, of a whole of known length (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
    /// The position of the first byte, counted from 0.
    let start: Int64
    /// The length of the whole in bytes.
    let totalByteCount: Int64
    /// The position after the last byte.
    let end: Int64

    /// Parses a Content-Range value, or returns nil if it names no byte range or an impossible one.
    init?(_ value: String) {
        guard value.prefix(6).lowercased() == "bytes " else { return nil }
        let halves = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let total = ContentRange.number(halves[1]) else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]),
            let last = ContentRange.number(ends[1]), first <= last, last < total
        else { return nil }
        (start, end, totalByteCount) = (first, last + 1, total)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(text)
    }
}
