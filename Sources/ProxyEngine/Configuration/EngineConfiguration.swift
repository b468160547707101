public import ProxydEventLoops
public import ProxydHTTPWire
public import ProxydTLS
public import ProxydTransport

/// The user's settings for the engine. A value: replaced as a whole on reload, and read anew for
/// every connection.
public struct EngineConfiguration: Sendable {
    /// What to do with TLS inside a CONNECT tunnel.
    public enum Interception: Sendable, Hashable {
        /// Decrypt, record, and encrypt again.
        case intercept
        /// Relay the bytes unchanged.
        case passThrough
    }

    /// What is recorded of HTTP/2 frames.
    public enum HTTP2Frames: Sendable, Hashable {
        case none
        /// The time, type, flags and length of each frame.
        case timeline
        /// The bytes too, up to this many per exchange.
        case bytes(max: Int)

        /// What is recorded of each frame; nil for nothing.
        public var detail: FrameLog.Detail? {
            switch self {
            case .none: nil
            case .timeline: .timeline
            case .bytes(let max): .bytes(max: max)
            }
        }
    }

    /// A timeout that never ends, in nanoseconds; small enough to be added to any clock value
    /// without overflow.
    public static let forever: Int64 = .max / 4

    /// Limits for heads and trailers.
    public var wireLimits = WireLimits()
    /// The number of bytes recorded of one body; the rest is forwarded and only counted.
    public var bodyCaptureByteCountMax = 16 << 20
    public var http2Frames = HTTP2Frames.timeline
    /// The name to add to `Via` (RFC 9110 §7.6.3); nil leaves `Via` alone.
    public var viaPseudonym: String?
    /// Whether a response without `Date` gets one (RFC 9110 §6.6.1).
    public var addsDate = false
    /// Whether the client's Host is forwarded even if the absolute target names another host.
    public var keepsHost = false
    /// Whether Alt-Svc fields of responses are removed (RFC 7838 §3).
    public var removesAltSvc = false
    /// Whether clients that ask for a tunnel to a server that is not reached are told so inside of
    /// TLS, where they show it, if their TLS would be intercepted.
    public var explainsInsideTLS = false
    /// Host names, in lower case, of the proxy's own pages.
    public var ownHostNames: Set<String> = ["proxyd.local"]
    /// Whether a request that names no server goes to the host in its Host field; otherwise it gets
    /// one of the proxy's own pages.
    public var forwardsToHost = false
    /// How long a request head may take from its first byte, in nanoseconds.
    public var headTimeoutNs: Int64 = 10_000_000_000
    /// How long a client connection may be idle between requests, in nanoseconds.
    public var idleTimeoutNs: Int64 = 75_000_000_000
    /// How long a server may take to start its response after the client has ended its side, which
    /// a client does either when it has sent everything or when it leaves; in nanoseconds.
    public var halfClosedTimeoutNs: Int64 = 650_000_000
    /// How long a server may take to start its response, in nanoseconds.
    public var responseTimeoutNs: Int64 = 300_000_000_000
    /// How long a body may pause in both directions, in nanoseconds; forever by default, because
    /// long polls and event streams pause.
    public var bodyIdleTimeoutNs: Int64 = EngineConfiguration.forever
    /// How long a client's TLS handshake may take, in nanoseconds.
    public var handshakeTimeoutNs: Int64 = 10_000_000_000
    /// How long a tunnel may carry nothing, in nanoseconds.
    public var tunnelIdleTimeoutNs: Int64 = 3_600_000_000_000
    /// How long a tunnel may carry nothing once one side has ended, in nanoseconds; never longer
    /// than `tunnelIdleTimeoutNs`.
    public var halfClosedTunnelTimeoutNs: Int64 = 300_000_000_000
    /// How long the protocol in a CONNECT tunnel may stay undetected after the client's first bytes
    /// before the tunnel is relayed unread, in nanoseconds.
    public var peekTimeoutNs: Int64 = 300_000_000
    /// The maximum number of client connections, on all loops together.
    public var connectionCountMax = 16_000
    /// Whether the program of a local client is looked up.
    public var identifiesClients = true
    /// Whether clients are read more slowly while the recorder is behind; if not, it drops bodies.
    public var slowsClientsWhenCongested = true
    /// Whether a client may use a listener, which is identified by the name it was served under.
    public var isClientAllowed: @Sendable (_ client: SocketAddress, _ listener: String) -> Bool = {
        client, _ in client.isLoopback
    }
    /// Whether a client may send a PROXY header to a listener, identified by its name.
    public var isPROXYHeaderTrusted:
        @Sendable (_ client: SocketAddress, _ listener: String) -> Bool = { _, _ in false }
    /// Whether CONNECT to a port is allowed (RFC 9110 §9.3.6).
    public var isConnectPortAllowed: @Sendable (UInt16) -> Bool = { _ in true }
    /// Whether connecting to a server's address is forbidden.
    public var isTargetDenied: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// Finds upstream proxies and client certificates; nil if none are configured.
    public var routes: RouteTable?
    /// What to do with TLS to a host and port.
    public var interception: @Sendable (String, UInt16) -> Interception = { _, _ in .intercept }
    /// Whether the certificate of a host and port must pass verification.
    public var isVerificationRequired: @Sendable (String, UInt16) -> Bool = { _, _ in true }

    public init() {}
}

/// The ways to servers in the configuration: upstream proxies and client certificates.
public struct RouteTable: Sendable {
    /// The upstream proxy for a host and port; `isPlain` says that neither TLS nor a tunnel was
    /// asked for. Nil for a direct connection.
    public var upstream: @Sendable (String, UInt16, _ isPlain: Bool) -> UpstreamProxy?
    public var upstreamNamed: @Sendable (String) -> UpstreamProxy?
    /// The certificate to show to a server whose certificate must be for this name, at this port.
    public var certificate: @Sendable (String, UInt16) -> ClientIdentity?
    public var certificateNamed: @Sendable (String) -> ClientIdentity?

    public init() {
        upstream = { _, _, _ in nil }
        upstreamNamed = { _ in nil }
        certificate = { _, _ in nil }
        certificateNamed = { _ in nil }
    }
}

/// The configuration of one loop, and what follows from it. Confined to the loop.
final class LoopSettings {
    /// Replaced as a whole on reload; connections read it at each request.
    var configuration: EngineConfiguration {
        didSet {
            hasRoutes = configuration.routes != nil
            timeouts = ExchangeTimeouts(configuration)
        }
    }
    private(set) var timeouts: ExchangeTimeouts
    /// Whether upstream proxies or client certificates are configured.
    private(set) var hasRoutes: Bool

    init(_ configuration: EngineConfiguration) {
        self.configuration = configuration
        hasRoutes = configuration.routes != nil
        timeouts = ExchangeTimeouts(configuration)
    }
}

/// How long an exchange waits, in nanoseconds.
struct ExchangeTimeouts {
    var bodyIdleNs: Int64
    var responseNs: Int64
    var halfClosedNs: Int64
}

extension ExchangeTimeouts {
    init(_ configuration: EngineConfiguration) {
        self.init(
            bodyIdleNs: configuration.bodyIdleTimeoutNs,
            responseNs: configuration.responseTimeoutNs,
            halfClosedNs: configuration.halfClosedTimeoutNs)
    }
}
