public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydTLS

/// Makes connections to servers: name lookup, happy eyeballs, TLS. Confined to its loop.
public final class Connector: Connecting {
    let loop: EventLoop
    let resolver: Resolver
    private(set) var tls: TLSClientContext
    private(set) var limits: ConnectLimits
    let permission: (SocketAddress) -> ConnectPermission
    /// Called for each attempt to connect that was started, with its address.
    public var onAttempt: ((ConnectAttempt, SocketAddress) -> Void)?

    /// Creates a connector. `permission` is called for each address that a name resolves to, just
    /// before connecting to that address, whatever the spelling of the name.
    public init(
        loop: EventLoop, resolver: Resolver, tls: TLSClientContext,
        limits: ConnectLimits = ConnectLimits(),
        permission: @escaping (SocketAddress) -> ConnectPermission = { _ in .granted }
    ) {
        self.loop = loop
        self.resolver = resolver
        self.tls = tls
        self.limits = limits
        self.permission = permission
    }

    /// Replaces the limits and the trusted authorities; they apply to new connections.
    public func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        self.limits = limits
        tls = clientContext
    }

    /// Makes a connection before `deadlineNs` (monotonic), secured if the target asks for it.
    /// `completion` is called once, on the loop and never from within this call, unless the attempt
    /// is cancelled first.
    public func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        if let route = target.route?.proxied {
            let operation = UpstreamOperation(
                target: target, through: route, connector: self, deadlineNs: deadlineNs,
                completion: completion)
            operation.start()
            return operation
        }
        let operation = ConnectOperation(
            target: target, connector: self, deadlineNs: deadlineNs, completion: completion)
        operation.start()
        return operation
    }

    /// Checks a server name that is an IP address, in any spelling that a proxy could accept. What
    /// other names resolve to is known only to the proxy.
    public func refusal(of target: ConnectTarget) -> ExchangeFailure? {
        let host = target.route?.address?.ip ?? target.name
        guard let literal = SocketAddress(literal: host, port: target.port) else { return nil }
        switch permission(literal) {
        case .granted: return nil
        case .ownAddress: return .connectLoop(target)
        case .denied: return .connectDenied(target, literal)
        }
    }

    /// Secures a plain connection as a target requires. If that fails, closes the connection.
    public func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let operation = ConnectOperation(
            target: target, connector: self, deadlineNs: deadlineNs, completion: completion)
        operation.start(from: established)
        return operation
    }
}
