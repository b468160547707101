public import ClientLib
internal import Synchronization

/// Sends targets: creates requests from them, or answers with their samples.
public final class Provider<Target: TargetType>: Sendable {
    public typealias EndpointClosure = @Sendable (Target) throws -> HTTPRequest
    /// Changes a request before it is first sent; may be slow, for example to fetch a token.
    public typealias RequestClosure = @Sendable (HTTPRequest) async throws -> HTTPRequest
    public typealias StubClosure = @Sendable (Target) -> StubBehavior
    public typealias SampleClosure = @Sendable (Target) -> SampleResponse

    public let endpointClosure: EndpointClosure
    public let requestClosure: RequestClosure
    public let stubClosure: StubClosure
    public let sampleClosure: SampleClosure
    /// The plugins that take part in every request, in this order.
    public let plugins: [any PluginType]
    public let session: Session
    /// Whether a request joins an equal one that is under way.
    public let trackInflights: Bool
    let stubClock: any Clock<Duration>
    let inflights = Mutex<[InflightKey: InflightRequest]>([:])

    /// Creates a provider. Delayed stubs wait on `stubClock`.
    public init(
        endpointClosure: @escaping EndpointClosure = Provider.defaultEndpoint,
        requestClosure: @escaping RequestClosure = { $0 },
        stubClosure: @escaping StubClosure = Provider.neverStub,
        sampleClosure: @escaping SampleClosure = { $0.sample },
        session: Session = .default, plugins: [any PluginType] = [],
        trackInflights: Bool = false, stubClock: any Clock<Duration> = ContinuousClock()
    ) {
        self.endpointClosure = endpointClosure
        self.requestClosure = requestClosure
        self.stubClosure = stubClosure
        self.sampleClosure = sampleClosure
        self.session = session
        self.plugins = plugins
        self.trackInflights = trackInflights
        self.stubClock = stubClock
    }

    @Sendable public static func defaultEndpoint(_ target: Target) throws -> HTTPRequest {
        try target.endpoint()
    }

    @Sendable public static func neverStub(_ target: Target) -> StubBehavior { .never }

    @Sendable public static func immediatelyStub(_ target: Target) -> StubBehavior { .immediate }

    public static func delayedStub(_ delay: Duration) -> StubClosure {
        { _ in .delayed(delay) }
    }

    public typealias ProgressHandler = @Sendable (ProgressResponse) -> Void

    /// Sends a target. Cancelling the task gives up this caller's share of the request.
    /// - Throws: why there is no accepted response; see the error's `response`.
    public func request(
        _ target: Target, progress: ProgressHandler? = nil
    ) async throws(ClientError) -> TargetResponse {
        let share = Mutex<CancellableToken?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let caller = InflightRequest.Caller(progress: progress) {
                    continuation.resume(returning: $0)
                }
                let token = begin(target, caller, isCancelled: Task.isCancelled)
                share.withLock { $0 = token }
                // The task was cancelled before there was a token.
                if Task.isCancelled { token.cancel() }
            }
        } onCancel: {
            share.withLock { $0 }?.cancel()
        }
        return try outcome.get()
    }

    /// Sends a target and calls `completion` once, with the response or the error.
    @discardableResult
    public func request(
        _ target: Target, progress: ProgressHandler? = nil,
        completion: @escaping @Sendable (Result<TargetResponse, ClientError>) -> Void
    ) -> CancellableToken {
        begin(
            target, InflightRequest.Caller(progress: progress, completion: completion),
            isCancelled: false)
    }

    /// Sends a target and reports its progress; the last element has the response. A slow consumer
    /// gets only the newest values. Ending the iteration early gives up the request.
    public func progressUpdates(
        of target: Target
    ) -> AsyncThrowingStream<ProgressResponse, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ProgressResponse.self, bufferingPolicy: .bufferingNewest(16))
        let caller = InflightRequest.Caller(progress: { continuation.yield($0) }) { outcome in
            switch outcome {
            case .success: continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        let token = begin(target, caller, isCancelled: false)
        continuation.onTermination = { reason in
            if case .cancelled = reason { token.cancel() }
        }
        return stream
    }

    // MARK: Implementation

    /// Joins an equal request that is under way, or starts one.
    private func begin(
        _ target: Target, _ caller: InflightRequest.Caller, isCancelled: Bool
    ) -> CancellableToken {
        let endpoint = Result { try endpointClosure(target) }
            .mapError { ClientError.wrapping($0, as: .requestAdaptationFailed) }
        let key = trackInflights ? InflightKey(endpoint, task: target.task) : nil
        let (inflight, token, isNew) = joinOrCreate(caller, key)
        if isCancelled { token.cancel() }
        if isNew { start(target, endpoint, inflight, key) }
        return token
    }

    private func joinOrCreate(
        _ caller: InflightRequest.Caller, _ key: InflightKey?
    ) -> (InflightRequest, CancellableToken, isNew: Bool) {
        inflights.withLock { inflights in
            if let key, let inflight = inflights[key], let token = inflight.join(caller) {
                return (inflight, token, false)
            }
            let inflight = InflightRequest(caller)
            if let key { inflights[key] = inflight }
            return (inflight, inflight.firstToken, true)
        }
    }

    private func start(
        _ target: Target, _ endpoint: Result<HTTPRequest, ClientError>, _ inflight: InflightRequest,
        _ key: InflightKey?
    ) {
        let launch = TargetRequest(
            session: session, target: target, build: onceBuilt(endpoint), plugins: plugins)
        switch stubClosure(target) {
        case .never: break
        case .immediate: launch.stub(sampleClosure(target), after: .zero, clock: stubClock)
        case .delayed(let delay): launch.stub(sampleClosure(target), after: delay, clock: stubClock)
        }
        // Provider and session are kept until their requests end, even if all other references are
        // released.
        launch.start(inflight) { [self] in
            guard let key else { return }
            inflights.withLock { inflights in
                if inflights[key] === inflight { inflights[key] = nil }
            }
        }
    }

    /// Calls `requestClosure` only once; retries send the same request.
    private func onceBuilt(_ endpoint: Result<HTTPRequest, ClientError>) -> Session.RequestBuilder {
        let made = Mutex<HTTPRequest?>(nil)
        return { [requestClosure] in
            if let request = made.withLock({ $0 }) { return request }
            let endpoint = try endpoint.get()
            do {
                let request = try await requestClosure(endpoint)
                try Task.checkCancellation()
                made.withLock { $0 = request }
                return request
            } catch {
                throw ClientError.wrapping(error, as: .requestAdaptationFailed)
            }
        }
    }
}

extension InflightKey {
    fileprivate init?(_ endpoint: Result<HTTPRequest, ClientError>, task: RequestTask) {
        guard case .success(let request) = endpoint else { return nil }
        self.init(request, task: task)
    }
}

/// Identifies equal requests, so that the second need not be sent.
struct InflightKey: Hashable {
    private let request: HTTPRequest

    /// Returns nil if requests cannot be compared: streams, and downloads, because each caller has
    /// its own file.
    init?(_ request: HTTPRequest, task: RequestTask) {
        if case .download = task.transfer { return nil }
        switch request.body {
        case .none, .bytes, .file: break
        case .multipart(_, let streams) where streams.isEmpty: break
        case .stream, .multipart: return nil
        }
        self.request = request
    }
}

/// One caller's share of a provider's request.
public struct CancellableToken: Sendable {
    let inflight: InflightRequest
    let id: Int

    public var isCancelled: Bool { inflight.hasLeft(id) }

    /// Cancels for this caller, who gets `.explicitlyCancelled`. The request itself is cancelled
    /// when no caller is left.
    public func cancel() { inflight.leave(id) }
}

public struct ProgressResponse: Sendable {
    /// The response once it is complete.
    public let response: TargetResponse?
    /// For uploads, how much of the body has been sent; otherwise how much of the response has
    /// arrived. Nil until that is known.
    public let transfer: TransferProgress?

    public init(transfer: TransferProgress? = nil, response: TargetResponse? = nil) {
        self.transfer = transfer
        self.response = response
    }

    /// From 0 to 1: 1 with the response; before that, the fraction of the transfer, or 0 if the
    /// total is unknown.
    public var progress: Double {
        if completed { return 1 }
        guard let transfer, let total = transfer.totalByteCount, total > 0 else { return 0 }
        return transfer.fractionCompleted
    }

    public var completed: Bool { response != nil }
}
