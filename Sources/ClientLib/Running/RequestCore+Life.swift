internal import ProxydEventLoops

extension ClientRequest {
    /// Starts the request, or continues it after `suspend()`.
    @discardableResult
    public func resume() -> Self {
        core.resume(self)
        return self
    }

    /// Pauses the request: nothing more is read, which slows the server down.
    @discardableResult
    public func suspend() -> Self {
        core.suspend(self)
        return self
    }

    /// Cancels the request in any state; handlers get `.explicitlyCancelled`.
    @discardableResult
    public func cancel() -> Self {
        core.cancel(self, with: ClientError(.explicitlyCancelled))
        return self
    }
}

/// Starting, pausing and cancelling. The handle is a parameter: it is kept while the request runs,
/// and a request that never runs keeps none.
extension RequestCore {
    func resume(_ handle: any ClientRequest) {
        enum Step { case none, start, proceed(UnsafeContinuation<Void, Never>?) }
        let step: Step = change { state in
            guard state.phase.canTransition(to: .resumed) else { return .none }
            let isFirst = state.startNs == 0
            state.phase = .resumed
            guard isFirst else {
                defer { state.gate = nil }
                return .proceed(state.gate)
            }
            state.startNs = EventLoop.monotonicNow()
            state.wallStart = EventLoop.wallNow()
            return .start
        }
        switch step {
        case .none: return
        case .start:
            emit(.didResume)
            start(handle)
        case .proceed(let gate):
            emit(.didResume)
            gate?.resume()
        }
    }

    /// Starts the request if the session starts requests automatically.
    func resumeAutomatically(_ handle: any ClientRequest) {
        guard host.configuration.startRequestsImmediately else { return }
        if read({ $0.phase == .initialized }) { resume(handle) }
    }

    /// Starts the only task that calls the handlers. Code that sets `startNs` must call this or
    /// start another such task.
    private func start(_ handle: any ClientRequest) {
        if let error = read(\.begin)() {
            if change({ $0.end(with: error) }) { emit(.didCancel) }
            Task { await RequestRunner(handle).finishUnstarted(error) }
            return
        }
        let task = Task { await RequestRunner(handle).run() }
        let isCancelled = change { state in
            state.task = task
            return state.phase == .cancelled
        }
        if isCancelled { task.cancel() }
    }

    func suspend(_ handle: any ClientRequest) {
        let isDone = change { state in
            guard state.phase.canTransition(to: .suspended) else { return false }
            state.phase = .suspended
            return true
        }
        if isDone { emit(.didSuspend) }
    }

    func cancel(_ handle: any ClientRequest, with error: ClientError) {
        enum Step { case none, finish, stop(Task<Void, Never>?, UnsafeContinuation<Void, Never>?) }
        let step: Step = change { state in
            guard state.end(with: error) else { return .none }
            defer { state.gate = nil }
            guard state.startNs == 0 else { return .stop(state.task, state.gate) }
            state.startNs = EventLoop.monotonicNow()
            state.wallStart = EventLoop.wallNow()
            return .finish
        }
        switch step {
        case .none: return
        case .finish:
            emit(.didCancel)
            // No task is running that could call the handlers.
            Task { await RequestRunner(handle).finishUnstarted(error) }
        case .stop(let task, let gate):
            emit(.didCancel)
            consumer?.willCancel()
            // If there is no task yet, `start` is about to create it and will see that the request
            // has ended.
            task?.cancel()
            gate?.resume()
        }
    }

    func waitWhileSuspended() async {
        while read({ $0.phase == .suspended }) {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isSuspended = change { state in
                    guard state.phase == .suspended else { return false }
                    state.gate = continuation
                    return true
                }
                if !isSuspended { continuation.resume() }
            }
        }
    }
}

extension CoreState {
    /// Cancels the request if its state allows that; returns whether it did.
    fileprivate mutating func end(with error: ClientError) -> Bool {
        guard phase.canTransition(to: .cancelled) else { return false }
        phase = .cancelled
        self.error = error
        return true
    }
}
