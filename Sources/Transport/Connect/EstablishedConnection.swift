public import ProxydEventLoops
public import ProxydHTTPModel

/// A connection to a server that stands and has no owner yet. Loop-confined.
public struct EstablishedConnection {
    /// The connection, secured where that was asked for. Whoever takes it sets the delegate, at
    /// once: until then nothing keeps it alive.
    public let stream: any DuplexStream
    /// When what was done.
    public let timings: ConnectTimings
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?
    /// What the server has said unasked: the settings of one that speaks HTTP/2. Empty for all
    /// others.
    public internal(set) var early: [UInt8] = []

    /// A connection.
    public init(
        stream: any DuplexStream, timings: ConnectTimings,
        security: ConnectionRecord.Security? = nil
    ) {
        self.stream = stream
        self.timings = timings
        self.security = security
    }

    /// Whether HTTP/2 is spoken on it: agreed by ALPN, or known before.
    func speaksHTTP2(_ target: ConnectTarget) -> Bool {
        target.hasPriorKnowledge || security?.alpn == "h2"
    }
}
