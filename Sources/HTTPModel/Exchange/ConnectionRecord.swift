/// What is known of one leg of a connection: client to proxy, or proxy to server.
public struct ConnectionRecord: Sendable, Hashable {
    /// Which leg.
    public enum Side: String, Sendable, Hashable {
        /// From a client to the proxy.
        case client
        /// From the proxy to a server.
        case server
    }

    /// TLS facts of a leg.
    public struct Security: Sendable, Hashable {
        /// As OpenSSL names it: `TLSv1.3`; nil where the session was relayed unread.
        public var version: String?
        /// As OpenSSL names it; nil where the session was relayed unread.
        public var cipher: String?
        /// The protocol agreed by ALPN (RFC 7301); nil where none.
        public var alpn: String?
        /// The server name the client of this leg sent (RFC 6066 §3); nil where none.
        public var serverName: String?
        /// The certificates the peer sent, leaf first, DER.
        public var peerCertificates: [[UInt8]]
        /// Whether an earlier session was resumed.
        public var isResumed: Bool

        /// TLS facts.
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

    /// A local program on the other end.
    public struct ClientProcess: Sendable, Hashable {
        /// Its process id when it connected.
        public var pid: Int32
        /// Its program name, without path.
        public var name: String

        /// A program.
        public init(pid: Int32, name: String) {
            self.pid = pid
            self.name = name
        }
    }

    /// The leg's number.
    public let id: ConnectionID
    /// Which leg.
    public let side: Side
    /// Wall clock when it was opened, nanoseconds since 1970.
    public var openedAt: Int64
    /// The peer's address, `127.0.0.1:49152` or `[::1]:49152`.
    public var peerAddress: String
    /// Our own address on this leg.
    public var localAddress: String
    /// TLS facts once the handshake is done; nil on a plain leg.
    public var security: Security?
    /// The program that opened a client leg, where it could be found out.
    public var process: ClientProcess?
    /// What HTTP/2 adds; nil where it is not spoken.
    public var http2: HTTP2ConnectionFacts?

    /// A leg. A later record of the same id replaces an earlier one.
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

    /// The same under another number, as where it is stored among other connections.
    public func renumbered(_ id: ConnectionID) -> ConnectionRecord {
        var record = ConnectionRecord(
            id: id, side: side, openedAt: openedAt, peerAddress: peerAddress,
            localAddress: localAddress, security: security, process: process)
        record.http2 = http2
        return record
    }
}
