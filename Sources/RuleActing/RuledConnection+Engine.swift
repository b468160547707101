internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

extension RuledConnection {
    /// Creates the description of a connection before it is made.
    init(_ asked: AskedConnection) {
        self.init(
            client: asked.peer.description, process: asked.process?.name, host: asked.host,
            port: asked.port, scheme: asked.isTunnel ? "tunnel" : "http",
            startedAtNs: EventLoop.wallNow())
        take(asked.arrival, asked.user)
    }

    /// Creates the description of the connection that a request came over.
    init(_ exchange: ActedExchange, _ url: RawURL) {
        self.init(
            client: exchange.peer.description, process: exchange.process?.name, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: EventLoop.wallNow())
        take(exchange.arrival, exchange.user)
    }

    private mutating func take(_ arrival: ConnectionRecord.Arrival?, _ user: String?) {
        listener = arrival?.listener
        namedClient = arrival?.proxyProtocolPeer
        self.user = user
    }
}
