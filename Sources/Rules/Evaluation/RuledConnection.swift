/// What is known about a client and the server that it asks for, before any request is read.
public struct RuledConnection: Sendable {
    /// The client's address and port, in the form that is recorded.
    public var client: String
    /// The client's address and port in a PROXY header; nil without one.
    public var namedClient: String?
    /// The listener that the client connected to; nil if it is not known.
    public var listener: String?
    /// The user as whom the client authenticated at the proxy; nil if it did not.
    public var user: String?
    /// The local program that is the client; nil if it is not known.
    public var process: String?
    /// The host that the client asks for.
    public var host: String
    /// The port that the client asks for.
    public var port: UInt16
    /// `http`, `https`, or `tunnel` if only CONNECT has named the server.
    public var scheme: String
    /// When the exchange started, in nanoseconds since 1970.
    public var startedAtNs: Int64

    /// Creates a description of a connection.
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
