public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydTLS

/// Makes connections to servers. A protocol, so that tests can replace it with scripted
/// connections.
public protocol Connecting: AnyObject {
    /// Makes a connection, secured if the target asks for it. `completion` is called once, on the
    /// loop and never from within this call, unless the attempt is cancelled first.
    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Secures a plain connection as a target requires.
    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Why a server must not be requested from an upstream proxy: its name is an IP address that is
    /// not allowed; nil if the server may be requested.
    func refusal(of target: ConnectTarget) -> ExchangeFailure?

    /// Replaces the limits and the trusted authorities; they apply to new connections.
    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext)
}

extension Connecting {
    public func refusal(of target: ConnectTarget) -> ExchangeFailure? { nil }
}

public protocol Cancellable: AnyObject {
    /// Cancels the operation; nothing is called back after this.
    func cancel()
}

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

    public func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        self.limits = limits
        tls = clientContext
    }

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

/// Whether an address may be connected to.
public enum ConnectPermission: Sendable, Hashable {
    case granted
    /// It is one of the proxy's own addresses: the request would loop back.
    case ownAddress
    /// The user's configuration forbids it.
    case denied
}

/// How long the steps of making a connection may take, within the overall deadline.
public struct ConnectLimits: Sendable, Hashable {
    /// The name lookup, in nanoseconds.
    public var lookupNs: Int64 = 5_000_000_000
    public var handshakeNs: Int64 = 10_000_000_000

    public init() {}
}

/// A connection to a server that is established and has no owner yet. Loop-confined.
public struct EstablishedConnection {
    /// The connection, secured if that was asked for. The new owner must set the delegate
    /// immediately: until then nothing retains the stream.
    public let stream: any DuplexStream
    /// When each step of making the connection happened.
    public let timings: ConnectTimings
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?
    /// The name of the upstream proxy that it goes through; nil if there is none.
    public let upstream: String?
    /// Bytes that the server has sent first: the settings of an HTTP/2 server, or what followed an
    /// upstream proxy's response. Empty otherwise.
    public internal(set) var early: [UInt8] = []

    public init(
        stream: any DuplexStream, timings: ConnectTimings,
        security: ConnectionRecord.Security? = nil, upstream: String? = nil
    ) {
        self.upstream = upstream
        self.stream = stream
        self.timings = timings
        self.security = security
    }

    /// Whether the connection uses HTTP/2: negotiated by ALPN, or known beforehand.
    func speaksHTTP2(_ target: ConnectTarget) -> Bool {
        target.hasPriorKnowledge || security?.alpn == "h2"
    }
}

/// When the steps of making a connection started and ended, in monotonic nanoseconds; nil for steps
/// that were not needed (no lookup for an IP address, no TLS on a plain connection) or not reached.
public struct ConnectTimings: Sendable, Hashable {
    public var dnsStart: Int64?
    public var dnsEnd: Int64?
    /// When the first attempt to connect started.
    public var connectStart: Int64?
    public var connectEnd: Int64?
    public var tlsStart: Int64?
    public var tlsEnd: Int64?

    public init() {}

    public func write(to timeline: inout Timeline) {
        let moments: [(Moment, Int64?)] = [
            (.dnsStart, dnsStart), (.dnsEnd, dnsEnd), (.connectStart, connectStart),
            (.connectEnd, connectEnd), (.tlsStart, tlsStart), (.tlsEnd, tlsEnd),
        ]
        for case (let moment, let time?) in moments { timeline.mark(moment, at: time) }
    }
}
