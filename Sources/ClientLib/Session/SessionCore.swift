internal import ProxydHTTPModel
internal import Synchronization

/// What a session and its requests share; lives as long as one of them does.
final class SessionCore: RequestHost {
    let configuration: SessionConfiguration
    /// The default fields, checked; those that are not valid make every request fail.
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

    /// The session, while someone holds it.
    var session: Session? {
        get { registry.withLock { $0.session } }
        set { registry.withLock { $0.session = newValue } }
    }

    /// Makes a new request one of the session's: the session's monitors hear of it, the session's
    /// interceptor is asked before its own, and it is noted when it starts.
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

    /// Notes a request that starts; says why it may not.
    private func register(_ request: any ClientRequest) -> ClientError? {
        registry.withLock { registry in
            if let end = registry.end { return end }
            registry.active[request.id] = request
            return nil
        }
    }

    /// Notes a conversation, which ends with the session.
    func register(_ conversation: StreamConversation) {
        let end = registry.withLock { registry in
            registry.conversations.removeAll { $0.conversation == nil }
            registry.conversations.append(OpenConversation(conversation: conversation))
            return registry.end
        }
        if let end { conversation.end(end) }
    }

    /// Forgets a request that is over.
    func unregister(_ id: UInt64) {
        // Released outside the lock: it may be the last reference.
        let request = registry.withLock { $0.active.removeValue(forKey: id) }
        _ = request
    }

    /// The requests under way, oldest first.
    var activeRequests: [any ClientRequest] {
        registry.withLock { Array($0.active.values) }.sorted { $0.id < $1.id }
    }

    /// Ends everything: no request starts any more, those under way fail.
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
