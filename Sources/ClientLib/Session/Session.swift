public import Dispatch
internal import ProxydHTTPModel

/// Makes requests and owns what they share: connections, threads, defaults.
///
/// A session that is let go of cancels its requests with `.sessionDeinitialized`; `shutdown()` ends
/// it before that. `Session.default` lives as long as the program.
public final class Session: Sendable {
    let core: SessionCore

    /// A session for everybody, with the defaults.
    public static let `default` = Session()

    /// A session. Where the system has no threads or descriptors left, every request of it fails
    /// with `.network(.overloaded)`. `startRequestsImmediately` goes before the configuration's.
    public init(
        configuration: SessionConfiguration = .default,
        startRequestsImmediately: Bool? = nil,
        transport: (any ClientTransport)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
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

    /// How the session behaves.
    public var configuration: SessionConfiguration { core.configuration }

    /// Ends the session: requests under way fail with `.sessionInvalidated`, as do new ones;
    /// connections are closed and threads ended when this returns. Not to be called by handlers
    /// of the session's own transport.
    public func shutdown() { core.end(with: ClientError(.sessionInvalidated)) }

    /// Calls `body` with the requests under way, oldest first.
    public func withAllRequests(_ body: ([any ClientRequest]) -> Void) {
        body(core.activeRequests)
    }

    /// Cancels the requests under way.
    public func cancelAllRequests() {
        for request in core.activeRequests { request.cancel() }
    }

    /// Cancels the requests under way, and then calls `completion` on `queue`. Their own handlers
    /// may come later.
    public func cancelAllRequests(
        completingOn queue: DispatchQueue = .main, completion: @escaping @Sendable () -> Void
    ) {
        cancelAllRequests()
        queue.async(execute: completion)
    }

    static func makeTransport(
        _ configuration: SessionConfiguration
    ) -> any ClientTransport {
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
