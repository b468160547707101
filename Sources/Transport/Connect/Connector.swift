public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydTLS

/// Makes connections to servers: name look-up, happy eyeballs, TLS. Confined to its loop.
public final class Connector: Connecting {
    let loop: EventLoop
    let resolver: Resolver
    private(set) var tls: TLSClientContext
    private(set) var limits: ConnectLimits
    let permission: (SocketAddress) -> ConnectPermission

    /// A connector. `permission` is asked for each address a name resolves to, under whatever
    /// spelling it was asked for, just before that very address is connected to.
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

    /// Puts other limits and another idea of whom to trust in force for what comes from now on.
    public func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        self.limits = limits
        tls = clientContext
    }

    /// Makes a connection before `deadlineNs` (monotonic), secured where the target asks for it.
    /// `completion` is called once, on the loop and never from within this call, unless the attempt
    /// is cancelled first.
    public func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let operation = ConnectOperation(
            target: target, connector: self, deadlineNs: deadlineNs, completion: completion)
        operation.start()
        return operation
    }

    /// Secures a plain connection as a target asks. Fails, and closes the connection, otherwise.
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
