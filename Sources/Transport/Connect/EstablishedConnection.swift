public import ProxydEventLoops
public import ProxydHTTPModel

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

    /// Creates an established connection.
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
