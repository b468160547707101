public import ProxydEventLoops
public import ProxydHTTPWire

/// What the engine needs to know of the user's wishes. A value: replaced whole on reload, and read
/// anew for every connection.
public struct EngineConfiguration: Sendable {
    /// What to do with TLS inside a CONNECT tunnel.
    public enum Interception: Sendable, Hashable {
        /// Decrypt, record, encrypt again.
        case intercept
        /// Relay the octets as they are.
        case passThrough
    }

    /// What is kept of frames of HTTP/2.
    public enum HTTP2Frames: Sendable, Hashable {
        /// Nothing.
        case none
        /// When each passed, its type, flags and length.
        case timeline
        /// The bytes, too, as many of an exchange's as this.
        case bytes(max: Int)

        /// What is kept of each frame; nil where nothing is.
        public var detail: FrameLog.Detail? {
            switch self {
            case .none: nil
            case .timeline: .timeline
            case .bytes(let max): .bytes(max: max)
            }
        }
    }

    /// A timeout that never comes, nanoseconds; small enough to be added to any clock.
    public static let forever: Int64 = .max / 4

    /// Bounds of heads and trailers.
    public var wireLimits = WireLimits()
    /// Octets kept of one body; what comes after is forwarded and counted only.
    public var bodyCaptureByteCountMax = 16 << 20
    /// What is kept of the frames of HTTP/2.
    public var http2Frames = HTTP2Frames.timeline
    /// The name to add to `Via` (RFC 9110 §7.6.3); nil leaves `Via` alone.
    public var viaPseudonym: String?
    /// Whether a response without `Date` gets one (RFC 9110 §6.6.1).
    public var addsDate = false
    /// Whether the client's Host goes on where its absolute target names another host.
    public var keepsHost = false
    /// Host names, lower case, that mean the proxy's own pages.
    public var ownHostNames: Set<String> = ["proxyd.local"]
    /// Whether a request that names no server is for the one that its Host line names; else it gets
    /// a page of the proxy's own.
    public var forwardsToHost = false
    /// How long a request head may take from its first octet, nanoseconds.
    public var headTimeoutNs: Int64 = 10_000_000_000
    /// How long a client connection may be idle between requests, nanoseconds.
    public var idleTimeoutNs: Int64 = 75_000_000_000
    /// How long a response may take to begin when the client has ended its side, which it may do
    /// because it has no more to say, or because it is gone; nanoseconds.
    public var halfClosedTimeoutNs: Int64 = 650_000_000
    /// How long a server may take to begin its response, nanoseconds.
    public var responseTimeoutNs: Int64 = 300_000_000_000
    /// How long a body may pause in both directions, nanoseconds; for ever by default, as
    /// long-polls and event streams pause.
    public var bodyIdleTimeoutNs: Int64 = EngineConfiguration.forever
    /// How long a client's TLS handshake may take, nanoseconds.
    public var handshakeTimeoutNs: Int64 = 10_000_000_000
    /// How long a tunnel may carry nothing, nanoseconds.
    public var tunnelIdleTimeoutNs: Int64 = 3_600_000_000_000
    /// How long a tunnel may carry nothing when one side has ended, nanoseconds; never longer than
    /// `tunnelIdleTimeoutNs`.
    public var halfClosedTunnelTimeoutNs: Int64 = 300_000_000_000
    /// How long a client's first octets in a CONNECT tunnel may leave open what is spoken before
    /// it is relayed unseen, nanoseconds.
    public var peekTimeoutNs: Int64 = 300_000_000
    /// Client connections at one time, on all loops together.
    public var connectionCountMax = 16_000
    /// Whether the program behind a local client is looked up.
    public var identifiesClients = true
    /// Whether clients are slowed down while the recorder cannot follow; else it drops bodies.
    public var slowsClientsWhenCongested = true
    /// Whether a client may use a listener, which is told by the name it was served under.
    public var isClientAllowed: @Sendable (_ client: SocketAddress, _ listener: String) -> Bool = {
        client, _ in client.isLoopback
    }
    /// Whether CONNECT may go to a port (RFC 9110 §9.3.6).
    public var isConnectPortAllowed: @Sendable (UInt16) -> Bool = { _ in true }
    /// Whether a server's address must not be connected to.
    public var isTargetDenied: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// What to do with TLS to a host and port.
    public var interception: @Sendable (String, UInt16) -> Interception = { _, _ in .intercept }
    /// Whether the certificate of a host and port must stand verification.
    public var isVerificationRequired: @Sendable (String, UInt16) -> Bool = { _, _ in true }

    /// The defaults.
    public init() {}
}
