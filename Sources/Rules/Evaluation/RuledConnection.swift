/// What is known of a client and the server that it asks for, before anything is said there.
public struct RuledConnection: Sendable {
    /// The client's address and port, as they are recorded.
    public var client: String
    /// The local program behind the client; nil where it is not known.
    public var process: String?
    /// The host that is asked for.
    public var host: String
    /// The port that is asked for.
    public var port: UInt16
    /// `http`, `https`, or `tunnel` where only CONNECT has named the server.
    public var scheme: String
    /// When the exchange began, in nanoseconds since 1970.
    public var startedAtNs: Int64

    /// Facts about a connection.
    public init(
        client: String, process: String?, host: String, port: UInt16, scheme: String,
        startedAtNs: Int64
    ) {
        self.client = client
        self.process = process
        self.host = host
        self.port = port
        self.scheme = scheme
        self.startedAtNs = startedAtNs
    }
}
