public import HTTPModel

/// What an exchange may know of the server connection that carries it.
public struct ConnectionFacts: Sendable {
    /// The number its record was given; nil where nobody records.
    public let id: ConnectionID?
    /// How long setting it up took, and when.
    public let timings: ConnectTimings
    /// The server's address.
    public let peerAddress: String
    /// Our own address on it.
    public let localAddress: String
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?
    /// Whether it has served an exchange before this one.
    public let isReused: Bool
}
