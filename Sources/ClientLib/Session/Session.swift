internal import ProxydHTTPModel
public import Dispatch
internal import Synchronization

/// Creates requests and owns what they share: connections, threads and defaults.
///
/// Releasing a session cancels its requests with `.sessionDeinitialized`; `shutdown()` ends it
/// earlier. `Session.default` lives as long as the program.
public final class Session: Sendable {
    let core: SessionCore

    public static let `default` = Session()

    /// Creates a session. If the system is out of threads or file descriptors, every request of the
    /// session fails with `.network(.overloaded)`. `startRequestsImmediately` overrides the
    /// configuration's value.
    public init(
        configuration: SessionConfiguration = .default, startRequestsImmediately: Bool? = nil,
        transport: (any ClientTransport)? = nil, interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: any RedirectHandler = Redirector.follow,
        eventMonitors: [any EventMonitor] = []
    ) {
        var configuration = configuration
        if let startRequestsImmediately {
            configuration.startRequestsImmediately = startRequestsImmediately
        }
        if let serverTrustManager { configuration.serverTrustManager = serverTrustManager }
        core = SessionCore(
            configuration: configuration,
            transport: transport ?? Session.makeTransport(configuration),
            interceptor: interceptor, redirectHandler: redirectHandler, monitors: eventMonitors)
        core.session = self
    }

    deinit { core.end(with: ClientError(.sessionDeinitialized)) }

    public var configuration: SessionConfiguration { core.configuration }

    /// Ends the session: requests under way and new ones fail with `.sessionInvalidated`;
    /// connections are closed and threads ended when this returns. Must not be called from handlers
    /// of the session's own transport.
    public func shutdown() { core.end(with: ClientError(.sessionInvalidated)) }

    /// Calls `body` with the requests under way, oldest first.
    public func withAllRequests(_ body: ([any ClientRequest]) -> Void) {
        body(core.activeRequests)
    }

    public func cancelAllRequests() {
        for request in core.activeRequests { request.cancel() }
    }

    /// Cancels the requests under way, then calls `completion` on `queue`. The requests' own
    /// handlers may be called later.
    public func cancelAllRequests(
        completingOn queue: DispatchQueue = .main, completion: @escaping @Sendable () -> Void
    ) {
        cancelAllRequests()
        queue.async(execute: completion)
    }

    static func makeTransport(_ configuration: SessionConfiguration) -> any ClientTransport {
        var options = NetworkOptions()
        options.loopCount = configuration.eventLoopCount
        options.connectionsPerHostCountMax = max(1, configuration.maximumConnectionsPerHost)
        options.streamsPerHostCountMax = max(1, configuration.maximumStreamsPerHost)
        options.idleConnectionTimeoutNs = configuration.idleConnectionTimeout.nanoseconds
        options.authorities = AuthorityStore(
            configuration.trustedAuthorities.source(adding: configuration.proxy.authorityPath))
        options.serverTrust = configuration.serverTrustManager
        options.clientCertificates = configuration.clientCertificates
        options.proxies = configuration.proxy
        options.addressRules = configuration.addressRules
        do throws(ClientError) {
            return try NetworkTransport(options: options)
        } catch {
            return FailedTransport(error: error)
        }
    }
}

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
        let interceptors = [self.interceptor, interceptor].compactMap { $0 }.map {
            BoundInterceptor($0, for: request)
        }
        request.core.configure { state in
            state.listeners = listeners
            state.interceptors = interceptors
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
