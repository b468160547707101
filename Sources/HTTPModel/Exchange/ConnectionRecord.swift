/// What is known about one connection: between client and proxy, or between proxy and server.
public struct ConnectionRecord: Sendable, Hashable {
    /// The side of the proxy that a connection is on.
    public enum Side: String, Sendable, Hashable, Codable {
        case client
        case server
    }

    public struct Security: Sendable, Hashable {
        /// The version as OpenSSL names it, such as `TLSv1.3`; nil if the session was relayed
        /// unread.
        public var version: String?
        /// The cipher suite as OpenSSL names it; nil if the session was relayed unread.
        public var cipher: String?
        /// The protocol negotiated by ALPN (RFC 7301); nil if there was none.
        public var alpn: String?
        /// The server name that the client of this connection sent (RFC 6066 §3); nil if it sent
        /// none.
        public var serverName: String?
        /// The certificates that the peer sent, leaf first, in DER.
        public var peerCertificates: [[UInt8]]
        public var isResumed: Bool

        /// The authorities that the server named when it asked for a client certificate; nil if it
        /// did not ask, empty if it accepts any authority.
        public var requestedAuthorities: [String]?
        public var showsClientCertificate = false

        public init(
            version: String?, cipher: String?, alpn: String?, serverName: String?,
            peerCertificates: [[UInt8]] = [], isResumed: Bool = false
        ) {
            self.version = version
            self.cipher = cipher
            self.alpn = alpn
            self.serverName = serverName
            self.peerCertificates = peerCertificates
            self.isResumed = isResumed
        }
    }

    /// The local program at the other end of a connection.
    public struct ClientProcess: Sendable, Hashable {
        /// The process ID when the program connected.
        public var pid: Int32
        /// The name of the program, without its path.
        public var name: String

        public init(pid: Int32, name: String) {
            self.pid = pid
            self.name = name
        }
    }

    public package(set) var id: ConnectionID
    public package(set) var side: Side
    /// When the connection was opened, in nanoseconds since 1970.
    public var openedAt: Int64
    /// The address of the peer, `127.0.0.1:49152` or `[::1]:49152`.
    public var peerAddress: String
    /// The proxy's own address and port on this connection.
    public var localAddress: String
    /// TLS facts once the handshake is complete; nil for a plain connection.
    public var security: Security?
    /// The program that opened a client connection, if it could be determined.
    public var process: ClientProcess?
    /// HTTP/2 facts; nil if the connection does not use HTTP/2.
    public var http2: HTTP2ConnectionFacts?
    /// How a client's connection reached the proxy; nil for connections to servers, and in records
    /// of programs without listeners.
    public var arrival: Arrival?
    /// The name of the upstream proxy through which a server was reached; nil if there was none.
    public var upstream: String?

    /// A later record with the same identifier replaces an earlier one.
    public init(
        id: ConnectionID, side: Side, openedAt: Int64, peerAddress: String, localAddress: String,
        security: Security? = nil, process: ClientProcess? = nil
    ) {
        self.id = id
        self.side = side
        self.openedAt = openedAt
        self.peerAddress = peerAddress
        self.localAddress = localAddress
        self.security = security
        self.process = process
    }

    /// Returns the same record with another identifier, for use in another store.
    public func renumbered(_ id: ConnectionID) -> ConnectionRecord {
        var record = self
        record.id = id
        return record
    }

    /// How a client's connection reached the proxy.
    public struct Arrival: Sendable, Hashable, Codable {
        /// What the clients of a listener speak.
        public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
            /// HTTP with requests to a proxy.
            case proxy
            /// HTTP with requests to a server, whose place the proxy takes.
            case reverse
            /// SOCKS 4, 4a or 5.
            case socks
            /// Anything: the kernel has redirected the connection.
            case transparent
        }

        public var listener: String
        public var mode: Mode
        /// The address that the client connected to, `192.0.2.1:443`, if it is not the proxy's own:
        /// where a redirected connection was going, or the destination in a PROXY header.
        public var originalAddress: String?
        /// The client's address in a PROXY header, `192.0.2.1:51234`; nil without one. The peer of
        /// the connection is the program that sent the header.
        public var proxyProtocolPeer: String?

        public init(
            listener: String, mode: Mode, originalAddress: String? = nil,
            proxyProtocolPeer: String? = nil
        ) {
            self.listener = listener
            self.mode = mode
            self.originalAddress = originalAddress
            self.proxyProtocolPeer = proxyProtocolPeer
        }
    }
}
