internal import ProxydEventLoops
public import ProxydHTTPModel

/// What an exchange may know about the server connection that carries it. All exchanges of a
/// connection share one object.
public final class ConnectionFacts: Sendable {
    /// The identifier of its record; nil if connections are not recorded.
    public let id: ConnectionID?
    /// When it was established, in nanoseconds since 1970.
    public let openedAt: Int64
    /// When each step of making it started and ended.
    public let timings: ConnectTimings
    /// The server's address and port.
    public let peerAddress: String
    /// The proxy's own address and port on this connection.
    public let localAddress: String
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?
    /// The name of the upstream proxy that it goes through; nil if there is none.
    public let upstream: String?

    init(of established: EstablishedConnection, id: ConnectionID?) {
        self.id = id
        openedAt = EventLoop.wallNow()
        timings = established.timings
        peerAddress = established.stream.peerAddress.description
        localAddress = established.stream.localAddress.description
        security = established.security
        upstream = established.upstream
    }
}
