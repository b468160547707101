internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import Synchronization

/// What all kinds of requests share: their state, and who is told of it.
public final class RequestCore: Sendable {
    /// The number of the request.
    public let id: UInt64
    let session: SessionCore
    /// Makes the request to be sent, anew for each retry.
    let build: @Sendable () async throws -> HTTPRequest
    /// Where the response's body goes; nil for memory.
    let consumer: (any BodyConsumer)?
    private let state: Mutex<CoreState>

    private static let lastID = Atomic<UInt64>(0)

    init(
        session: SessionCore, consumer: (any BodyConsumer)? = nil,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) {
        self.consumer = consumer
        id = RequestCore.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.session = session
        self.build = build
        state = Mutex(CoreState())
    }

    func read<Value: Sendable>(_ body: (CoreState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    func change<Value: Sendable>(_ body: (inout sending CoreState) -> sending Value) -> Value {
        state.withLock(body)
    }

    /// Changes what a request is to do; without effect once that was done.
    func configure(_ body: (inout CoreState) -> Void) {
        state.withLock { body(&$0) }
    }

    // MARK: Life

    func resume(_ handle: any ClientRequest) {
        enum Step { case none, start, proceed(UnsafeContinuation<Void, Never>?) }
        let step: Step = state.withLock { state in
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
            emit(.didResume, for: handle)
            start(handle)
        case .proceed(let gate):
            emit(.didResume, for: handle)
            gate?.resume()
        }
    }

    /// Starts it where the session says that requests start by themselves.
    func resumeAutomatically(_ handle: any ClientRequest) {
        guard session.configuration.startRequestsImmediately else { return }
        if read({ $0.phase == .initialized }) { resume(handle) }
    }

    /// Starts the one task that tells the handlers: whoever set `startNs` calls this, or starts
    /// another such task.
    private func start(_ handle: any ClientRequest) {
        if let error = session.register(handle) {
            if state.withLock({ $0.end(with: error) }) { emit(.didCancel, for: handle) }
            Task { await RequestRunner(handle).finishUnstarted(error) }
            return
        }
        let task = Task { await RequestRunner(handle).run() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.phase == .cancelled
        }
        if isCancelled { task.cancel() }
    }

    func suspend(_ handle: any ClientRequest) {
        let isDone = state.withLock { state in
            guard state.phase.canTransition(to: .suspended) else { return false }
            state.phase = .suspended
            return true
        }
        if isDone { emit(.didSuspend, for: handle) }
    }

    func cancel(_ handle: any ClientRequest, with error: ClientError) {
        enum Step { case none, finish, stop(Task<Void, Never>?, UnsafeContinuation<Void, Never>?) }
        let step: Step = state.withLock { state in
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
            emit(.didCancel, for: handle)
            // Nothing runs that could tell the handlers.
            Task { await RequestRunner(handle).finishUnstarted(error) }
        case .stop(let task, let gate):
            emit(.didCancel, for: handle)
            consumer?.willCancel()
            // Where there is no task yet, `start` is about to make it, and sees that it is over.
            task?.cancel()
            gate?.resume()
        }
    }

    /// Waits while the request is suspended.
    func waitWhileSuspended() async {
        while read({ $0.phase == .suspended }) {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isSuspended = state.withLock { state in
                    guard state.phase == .suspended else { return false }
                    state.gate = continuation
                    return true
                }
                if !isSuspended { continuation.resume() }
            }
        }
    }

    // MARK: Events

    /// Tells whoever listens; costs nothing where no one does.
    func emit(_ event: @autoclosure () -> RequestEvent, for handle: any ClientRequest) {
        let own = read(\.monitors)
        if own.isEmpty && session.monitors.isEmpty { return }
        let event = event()
        for monitor in session.monitors { monitor.on(event, for: handle) }
        for monitor in own { monitor.on(event, for: handle) }
    }

    var timeline: RequestTimeline { read { RequestTimeline($0) } }
}

extension CoreState {
    /// Gives the request up where that is possible; says whether it was.
    fileprivate mutating func end(with error: ClientError) -> Bool {
        guard phase.canTransition(to: .cancelled) else { return false }
        phase = .cancelled
        self.error = error
        return true
    }
}
