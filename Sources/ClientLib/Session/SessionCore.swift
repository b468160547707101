internal import ProxydHTTPModel
internal import Synchronization

/// The state that a session shares with its requests; it lives as long as any of them.
final class SessionCore: RequestHost {
    let configuration: SessionConfiguration
    /// The default fields after validation; if any is invalid, every request fails.
    let defaults: Result<HeaderFields, ClientError>
    let transport: any ClientTransport
    let interceptor: (any RequestInterceptor)?
    let redirectHandler: any RedirectHandler
    let monitors: [any EventMonitor]
    private let registry = Mutex(Registry())

    private struct Registry {
        var end: ClientError?
        var active: [UInt64: any ClientRequest] = [:]
        var conversations: [OpenConversation] = []
        weak var session: Session?
    }

    private struct OpenConversation {
        weak var conversation: StreamConversation?
    }

    init(
        configuration: SessionConfiguration, transport: any ClientTransport,
        interceptor: (any RequestInterceptor)?, redirectHandler: any RedirectHandler,
        monitors: [any EventMonitor]
    ) {
        self.configuration = configuration
        self.transport = transport
        self.interceptor = interceptor
        self.redirectHandler = redirectHandler
        self.monitors = monitors
        do throws(ClientError) {
            try FieldChecker.check(configuration.headers)
            defaults = .success(configuration.headers)
        } catch {
            defaults = .failure(error)
        }
    }

    /// The session, or nil if it has been released.
    var session: Session? {
        get { registry.withLock { $0.session } }
        set { registry.withLock { $0.session = newValue } }
    }

    /// Makes a new request one of the session's: it gets the session's event monitors, the
    /// session's interceptor is called before its own, and it is registered when it starts.
    func adopt<Request: ClientRequest>(
        _ request: Request, _ interceptor: (any RequestInterceptor)? = nil
    ) -> Request {
        let listeners = monitors.map { $0.listener(for: request) }
        let advisers = [self.interceptor, interceptor].compactMap { $0 }.map {
            RequestAdviser($0, for: request)
        }
        request.core.configure { state in
            state.listeners = listeners
            state.advisers = advisers
            state.begin = { [weak request] in request.flatMap { self.register($0) } }
        }
        return request
    }

    /// Registers a request that starts, or returns the error that prevents it from starting.
    private func register(_ request: any ClientRequest) -> ClientError? {
        registry.withLock { registry in
            if let end = registry.end { return end }
            registry.active[request.id] = request
            return nil
        }
    }

    /// Registers a conversation, which ends with the session.
    func register(_ conversation: StreamConversation) {
        let end = registry.withLock { registry in
            registry.conversations.removeAll { $0.conversation == nil }
            registry.conversations.append(OpenConversation(conversation: conversation))
            return registry.end
        }
        if let end { conversation.end(end) }
    }

    /// Removes a request that has ended.
    func unregister(_ id: UInt64) {
        // Released outside the lock, because it may be the last reference.
        let request = registry.withLock { $0.active.removeValue(forKey: id) }
        _ = request
    }

    /// The requests under way, oldest first.
    var activeRequests: [any ClientRequest] {
        registry.withLock { Array($0.active.values) }.sorted { $0.id < $1.id }
    }

    /// Ends the session: no request starts any more, and those under way fail.
    func end(with error: ClientError) {
        let (isFirst, active, open) = registry.withLock { registry in
            let isFirst = registry.end == nil
            if isFirst { registry.end = error }
            return (isFirst, Array(registry.active.values), registry.conversations)
        }
        guard isFirst else { return }
        for request in active { request.core.cancel(request, with: error) }
        for entry in open { entry.conversation?.end(error) }
        transport.shutdown()
    }
}
