public import Dispatch
internal import ProxydHTTPModel

/// Creates requests and owns what they share: connections, threads and defaults.
///
/// Releasing a session cancels its requests with `.sessionDeinitialized`; `shutdown()` ends it
/// earlier. `Session.default` lives as long as the program.
public final class Session: Sendable {
    let core: SessionCore

    /// A shared session with default settings.
    public static let `default` = Session()

    /// Creates a session. If the system is out of threads or file descriptors, every request of the
    /// session fails with `.network(.overloaded)`. `startRequestsImmediately` overrides the
    /// configuration's value.
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

    /// The session's settings.
    public var configuration: SessionConfiguration { core.configuration }

    /// Ends the session: requests under way and new ones fail with `.sessionInvalidated`;
    /// connections are closed and threads ended when this returns. Must not be called from handlers
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

    /// Cancels the requests under way, then calls `completion` on `queue`. The requests' own
    /// handlers may be called later.
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
