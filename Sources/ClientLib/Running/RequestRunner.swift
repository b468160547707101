internal import ProxydEventLoops
internal import ProxydHTTPModel

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

    /// Runs the request until its end.
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
            if await HandlerRun(handle).run(mayRetry: true) == .retry { continue }
            break
        }
        finish()
    }

    /// Calls the handlers of a request that was never started.
    func finishUnstarted(_ error: ClientError) async {
        var completion = RequestOutcome()
        completion.error = error
        complete(completion)
        _ = await HandlerRun(handle).run(mayRetry: false)
        finish()
    }

    /// One attempt, including redirects and challenges, up to validation.
    private func attempt() async -> RequestOutcome {
        var completion = RequestOutcome()
        do throws(ClientError) {
            let request = try await prepare()
            completion.request = request
            try await RequestFlight(handle).fly(request, into: &completion)
            if core.consumer?.isValidatedAtHead != true {
                try core.validate(completion)
            }
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
        let (advisers, isAdapted) = core.read { ($0.advisers, $0.isAdapted) }
        guard isAdapted, !advisers.isEmpty else { return request }
        request = try await adapt(request, naming: form, advisers)
        core.change { $0.note(request) }
        core.emit(.didAdapt(request))
        return request
    }

    /// The request after its adapters; `form` is the one whose content type this library set.
    private func adapt(
        _ request: HTTPRequest, naming form: MultipartFormData?,
        _ advisers: [RequestAdviser]
    ) async throws(ClientError) -> HTTPRequest {
        var adapted = request
        var form = form
        do {
            for adviser in advisers {
                let before = adapted
                adapted = try await TotalLimit.hold(core.deadlineNs) {
                    try await adviser.adapt(before)
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
    /// Calls the validators for a response.
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
