internal import ProxydEventLoops

/// Runs a request's response handlers, one after another in order.
struct HandlerRun {
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
            Task { _ = await HandlerRun(handle).run(mayRetry: false) }
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
