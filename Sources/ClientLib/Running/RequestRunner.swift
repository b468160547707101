internal import ProxydEventLoops

/// Drives one request from its first attempt to its last handler, in one task.
///
/// ```
/// build → adapt → send → (redirect, challenge → send) → receive → validate → serialize → deliver
///   ▲                                  failure → retriers                       │
///   └──────────────────────────────── retry ◀───────────────────────────────────┘
/// ```
struct RequestRunner {
    let handle: any ClientRequest
    let core: RequestCore

    init(_ handle: any ClientRequest) {
        self.handle = handle
        core = handle.core
    }

    func run() async {
        while true {
            var completion = await attempt()
            if let error = completion.error, core.consumer?.isRetryable != false {
                switch await RetryDecision(core).decide(after: error) {
                case .retry: continue
                case .fail(let error): completion.error = error
                }
            }
            complete(completion)
            if await HandlerDispatch(handle).run(mayRetry: true) == .retry { continue }
            break
        }
        finish()
    }

    /// Calls the handlers of a request that was never started.
    func finishUnstarted(_ error: ClientError) async {
        var completion = RequestOutcome()
        completion.error = error
        complete(completion)
        _ = await HandlerDispatch(handle).run(mayRetry: false)
        finish()
    }

    /// One attempt, including redirects and challenges, up to validation.
    private func attempt() async -> RequestOutcome {
        var completion = RequestOutcome()
        do throws(ClientError) {
            let request = try await prepare()
            completion.request = request
            try await RequestSender(handle).send(request, into: &completion)
            if core.consumer?.isValidatedAtHead != true { try core.validate(completion) }
            try await core.consumer?.settle(&completion)
        } catch {
            completion.request = core.read(\.lastRequest)
            completion.response = core.read(\.lastResponse)
            let error = ownError(error)
            completion.error = error
            await core.consumer?.fail(error, &completion)
        }
        return completion
    }

    /// A cancelled request reports its cancellation, whatever error that caused.
    private func ownError(_ error: ClientError) -> ClientError {
        let (phase, known, count) = core.read { ($0.phase, $0.error, $0.attempts.count) }
        if phase == .cancelled, let known { return known.inAttempt(count) }
        return error.inAttempt(count)
    }

    // MARK: Steps

    private func prepare() async throws(ClientError) -> HTTPRequest {
        await core.waitWhileSuspended()
        var request: HTTPRequest
        do {
            request = try await core.build()
        } catch {
            throw .wrapping(error, as: .parameterEncodingFailed)
        }
        let form = request.nameContentType()
        core.change { $0.note(request) }
        let (interceptors, isAdapted) = core.read { ($0.interceptors, $0.isAdapted) }
        guard isAdapted, !interceptors.isEmpty else { return request }
        request = try await adapt(request, naming: form, interceptors)
        core.change { $0.note(request) }
        core.emit(.didAdapt(request))
        return request
    }

    /// The request after its adapters; `form` is the one whose content type this library set.
    private func adapt(
        _ request: HTTPRequest, naming form: MultipartFormData?, _ interceptors: [BoundInterceptor]
    ) async throws(ClientError) -> HTTPRequest {
        var adapted = request
        var form = form
        do {
            for interceptor in interceptors {
                let before = adapted
                adapted = try await TotalLimit.enforce(core.deadlineNs) {
                    try await interceptor.adapt(before)
                }
                form = adapted.nameContentType(insteadOf: form)
            }
        } catch is TotalLimit {
            throw ClientError(.timedOut(.total), phase: .adapt)
        } catch {
            throw .wrapping(error, as: .requestAdaptationFailed)
        }
        return adapted
    }

    private func complete(_ completion: RequestOutcome) {
        let now = EventLoop.monotonicNow()
        core.change { state in
            state.completedNs = now
            // Handlers added from here on are called by the next run.
            state.isHandling = true
            var completion = completion
            // A cancellation during the retriers' decision takes precedence over the original
            // failure.
            if state.phase == .cancelled, completion.error != nil, let error = state.error {
                completion.error = error.inAttempt(state.attempts.count)
            }
            state.error = completion.error
            state.completion = completion
        }
    }

    private func finish() {
        core.emit(.didFinish(error: core.read(\.error)))
        let endings = core.change { state in
            defer { state.endings = [] }
            return state.endings
        }
        for ending in endings { ending() }
    }
}

extension RequestCore {
    /// - Throws: the error of the first validator that rejects it.
    func validate(_ completion: RequestOutcome) throws(ClientError) {
        let validators = read(\.validators)
        guard !validators.isEmpty else { return }
        do throws(ClientError) {
            for validator in validators { try validator.validate(completion) }
        } catch {
            emit(.didValidate(error: error))
            throw error
        }
        emit(.didValidate(error: nil))
    }
}

extension CoreState {
    /// Records the request to be sent first. An earlier attempt's response does not belong to it.
    fileprivate mutating func note(_ request: HTTPRequest) {
        lastRequest = request
        sentDefaults = nil
        lastResponse = nil
        adaptedRequest = request
    }
}

/// Asks a request's retriers what to do about a failure.
struct RetryDecision {
    private let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    enum Outcome: Sendable {
        case retry
        case fail(ClientError)
    }

    /// Asks the retriers, and waits for their delay before it returns a retry.
    func decide(after failure: ClientError) async -> Outcome {
        let (phase, interceptors) = core.read { ($0.phase, $0.interceptors) }
        guard phase != .cancelled, !interceptors.isEmpty else { return .fail(failure) }
        if let deadlineNs = core.deadlineNs, deadlineNs <= EventLoop.monotonicNow() {
            return .fail(failure)
        }
        for interceptor in interceptors {
            let result: RetryResult
            do {
                result = try await TotalLimit.enforce(core.deadlineNs) {
                    await interceptor.retry(failure)
                }
            } catch {
                // Cancelled while the retrier was deciding: the error remains that of the
                // cancellation.
                return .fail(error is TotalLimit ? TotalLimit.error(dueTo: failure) : failure)
            }
            switch result {
            case .retry: return await begin(after: .zero, failure)
            case .retryWithDelay(let delay): return await begin(after: delay, failure)
            case .doNotRetry: continue
            case .doNotRetryWithError(let other):
                return .fail(.wrapping(other, as: .requestRetryFailed))
            }
        }
        return .fail(failure)
    }

    private func begin(after delay: Duration, _ error: ClientError) async -> Outcome {
        if let deadlineNs = core.deadlineNs {
            let (end, isFar) = EventLoop.monotonicNow().addingReportingOverflow(delay.nanoseconds)
            // The deadline falls within the delay, so there is no point in waiting.
            guard !isFar, end < deadlineNs else { return .fail(TotalLimit.error(dueTo: error)) }
        }
        let count = core.change { state in
            state.retryCount += 1
            return state.retryCount
        }
        core.emit(.isRetrying(retryCount: count, delay: delay))
        if delay > .zero {
            // Cancelled during the delay: the error remains that of the cancellation.
            guard (try? await Task.sleep(for: delay)) != nil else { return .fail(error) }
        }
        await core.waitWhileSuspended()
        let isWanted = core.change { state in
            guard state.phase != .cancelled else { return false }
            state.error = nil
            return true
        }
        return isWanted ? .retry : .fail(error)
    }
}

/// The time limit for the whole request has expired.
struct TotalLimit: Error {
    /// The error of a request whose limit expired when it was about to be retried after another
    /// failure.
    static func error(dueTo failure: ClientError) -> ClientError {
        ClientError(.timedOut(.total), attempt: failure.attempt, underlying: failure)
    }

    /// Runs a caller's closure until the deadline (nil: forever) or until the task is cancelled.
    /// The closure is then cancelled too, but not awaited, because it may ignore that.
    /// - Throws: `TotalLimit`, `CancellationError`, and any error of `body`.
    static func enforce<Value: Sendable>(
        _ deadlineNs: Int64?, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let deadlineNs, EventLoop.monotonicNow() >= deadlineNs { throw TotalLimit() }
        let (outcomes, first) = AsyncStream.makeStream(
            of: Result<Value, any Error>.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            do {
                first.yield(.success(try await body()))
            } catch {
                first.yield(.failure(error))
            }
        }
        let limit = deadlineNs.map { deadlineNs in
            Task {
                do {
                    try await sleep(until: deadlineNs)
                    first.yield(.failure(TotalLimit()))
                } catch {
                    // The work ended first.
                }
            }
        }
        defer {
            work.cancel()
            limit?.cancel()
        }
        return try await withTaskCancellationHandler {
            for await outcome in outcomes { return try outcome.get() }
            throw CancellationError()
        } onCancel: {
            work.cancel()
        }
    }

    /// Sleeps for at most hours at a time: a timer does not support centuries.
    private static func sleep(until deadlineNs: Int64) async throws {
        while case let restNs = deadlineNs &- EventLoop.monotonicNow(), restNs > 0 {
            try await Task.sleep(for: min(.nanoseconds(restNs), .seconds(3_600)))
        }
    }
}

extension RequestCore {
    /// Asks a handler about a response. Stops waiting for it when the limit expires or the request
    /// is cancelled.
    func ask<Answer: Sendable>(
        in phase: ClientError.Phase, _ handler: @escaping @Sendable () async -> Answer
    ) async throws(ClientError) -> Answer {
        do {
            return try await TotalLimit.enforce(deadlineNs, handler)
        } catch {
            let isLate = error is TotalLimit
            throw ClientError(isLate ? .timedOut(.total) : .explicitlyCancelled, phase: phase)
        }
    }

    /// The deadline of the request on the monotonic clock, in nanoseconds; nil for none.
    var deadlineNs: Int64? {
        let (request, startNs) = read { ($0.adaptedRequest, $0.startNs) }
        return (request?.timeouts ?? host.configuration.timeouts).deadlineNs(from: startNs)
    }
}

extension Timeouts {
    /// The deadline for a start time, in nanoseconds; nil for none.
    func deadlineNs(from startNs: Int64) -> Int64? {
        guard let total else { return nil }
        let (deadline, isFar) = startNs.addingReportingOverflow(total.nanoseconds)
        return isFar ? nil : deadline
    }
}

/// Runs a request's response handlers, one after another in order.
struct HandlerDispatch {
    enum Outcome { case done, retry }

    private let handle: any ClientRequest
    private let core: RequestCore

    init(_ handle: any ClientRequest) {
        self.handle = handle
        core = handle.core
    }

    /// Serializes for every handler, then calls them all. If a serializer fails and retriers decide
    /// to retry, no handler is called and the request is sent again.
    func run(mayRetry: Bool) async -> Outcome {
        var count = 0
        while true {
            var deliveries: [@Sendable () -> Void] = []
            while let (handler, completion, record) = next(count + deliveries.count) {
                let outcome = await handler.handle(completion, record)
                if handler.isParsing, completion.error == nil {
                    core.emit(.didParse(error: outcome.error))
                }
                if let error = outcome.error, completion.error == nil {
                    if mayRetry, count == 0,
                        case .retry = await RetryDecision(core).decide(after: error)
                    {
                        return .retry
                    }
                }
                deliveries.append(outcome.deliver)
            }
            // When completion handlers run, the request is finished and no longer registered with
            // the session.
            if !deliveries.isEmpty { core.change { $0.finish() } }
            core.host.unregister(core.id)
            for deliver in deliveries { deliver() }
            count += deliveries.count
            if isThrough(count) { return .done }
        }
    }

    private func next(_ index: Int) -> (ResponseHandler, RequestOutcome, RequestRecord)? {
        core.change { state in
            guard index < state.handlers.count, let completion = state.completion else {
                return nil
            }
            let record = RequestRecord(timeline: state.timeline, attempts: state.attempts)
            return (state.handlers[index], completion, record)
        }
    }

    /// Whether all handlers have been called; handlers added in the meantime are next.
    private func isThrough(_ count: Int) -> Bool {
        core.change { state in
            guard state.handlers.count == count || state.completion == nil else { return false }
            state.handlers = []
            state.isHandling = false
            state.finish()
            return true
        }
    }
}

extension RequestCore {
    /// Adds a handler for the end; calls it immediately if the request has already ended.
    func add(_ handler: ResponseHandler, to handle: any ClientRequest) {
        let isLate = change { state in
            state.handlers.append(handler)
            guard state.completion != nil, !state.isHandling, state.isOver else { return false }
            state.isHandling = true
            return true
        }
        if isLate {
            Task { _ = await HandlerDispatch(handle).run(mayRetry: false) }
        } else {
            resumeAutomatically(handle)
        }
    }
}

extension CoreState {
    /// Whether the request has ended and its handlers have been called.
    var isOver: Bool { phase == .finished || phase == .cancelled }

    /// Changes the state to finished unless the request was cancelled.
    mutating func finish() {
        if phase.canTransition(to: .finished) { phase = .finished }
    }
}
