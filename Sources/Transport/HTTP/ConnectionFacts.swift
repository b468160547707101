internal import ProxydEventLoops
public import ProxydHTTPModel

/// What an exchange may know of the server connection that carries it. One object for all exchanges
/// of a connection: each of them is told of it.
public final class ConnectionFacts: Sendable {
    /// The number its record was given; nil where nobody records.
    public let id: ConnectionID?
    /// When it was there; nanoseconds since 1970.
    public let openedAt: Int64
    /// How long setting it up took, and when.
    public let timings: ConnectTimings
    /// The server's address.
    public let peerAddress: String
    /// Our own address on it.
    public let localAddress: String
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?

    init(of established: EstablishedConnection, id: ConnectionID?) {
        self.id = id
        openedAt = EventLoop.wallNow()
        timings = established.timings
        peerAddress = established.stream.peerAddress.description
        localAddress = established.stream.localAddress.description
        security = established.security
    }
}
