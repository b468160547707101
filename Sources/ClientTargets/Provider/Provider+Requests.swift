internal import ProxydHTTPModel
internal import Synchronization
public import ClientLib

extension Provider {
    /// Called when progress changes.
    public typealias ProgressHandler = @Sendable (ProgressResponse) -> Void

    /// Sends a target. Cancelling the task gives up this caller's share of the request.
    /// - Throws: why there is no accepted response; see the error's `response`.
    public func request(
        _ target: Target, progress: ProgressHandler? = nil
    ) async throws(ClientError) -> TargetResponse {
        let share = Mutex<CancellableToken?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let caller = TargetFlight.Caller(progress: progress) {
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
            target, TargetFlight.Caller(progress: progress, completion: completion),
            isCancelled: false)
    }

    /// Sends a target and reports its progress; the last element has the response. A slow consumer
    /// gets only the newest values. Ending the iteration early gives up the request.
    public func progressUpdates(
        of target: Target
    ) -> AsyncThrowingStream<ProgressResponse, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ProgressResponse.self, bufferingPolicy: .bufferingNewest(16))
        let caller = TargetFlight.Caller(progress: { continuation.yield($0) }) { outcome in
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
        _ target: Target, _ caller: TargetFlight.Caller, isCancelled: Bool
    ) -> CancellableToken {
        let endpoint = Result { try endpointClosure(target) }
            .mapError { ClientError.wrapping($0, as: .requestAdaptationFailed) }
        let key = trackInflights ? InflightKey(endpoint, task: target.task) : nil
        let (flight, token, isNew) = board(caller, key)
        if isCancelled { token.cancel() }
        if isNew { start(target, endpoint, flight, key) }
        return token
    }

    private func board(
        _ caller: TargetFlight.Caller, _ key: InflightKey?
    ) -> (TargetFlight, CancellableToken, isNew: Bool) {
        inflights.withLock { inflights in
            if let key, let flight = inflights[key], let token = flight.join(caller) {
                return (flight, token, false)
            }
            let flight = TargetFlight(caller)
            if let key { inflights[key] = flight }
            return (flight, flight.firstToken, true)
        }
    }

    private func start(
        _ target: Target, _ endpoint: Result<HTTPRequest, ClientError>, _ flight: TargetFlight,
        _ key: InflightKey?
    ) {
        let launch = TargetLaunch(
            session: session, target: target, build: onceBuilt(endpoint), plugins: plugins)
        switch stubClosure(target) {
        case .never: break
        case .immediate: launch.stub(sampleClosure(target), after: .zero, clock: stubClock)
        case .delayed(let delay):
            launch.stub(sampleClosure(target), after: delay, clock: stubClock)
        }
        // Provider and session are kept until their requests end, even if all other references are
        // released.
        launch.start(flight) { [self] in
            guard let key else { return }
            inflights.withLock { inflights in
                if inflights[key] === flight { inflights[key] = nil }
            }
        }
    }

    /// Calls `requestClosure` only once; retries send the same request.
    private func onceBuilt(
        _ endpoint: Result<HTTPRequest, ClientError>
    ) -> Session.RequestBuilder {
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
