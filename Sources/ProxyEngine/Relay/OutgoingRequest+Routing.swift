internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

extension OutgoingRequest {
    /// Creates the request to forward, with the server that its destination leads to.
    init(
        head: consuming RequestHead, url: consuming RawURL, body: BodyLength,
        maxForwards: MaxForwards, via destination: borrowing InboundDestination,
        worker: ProxyWorker
    ) {
        var options = ForwardedRequest.Options()
        options.viaPseudonym = worker.configuration.viaPseudonym
        if case .forward(let count) = maxForwards { options.maxForwards = count }
        options.keepsHost = worker.configuration.keepsHost
        var target = destination.target(
            of: url, isHTTP2: head.version == .http2, configuration: worker.configuration)
        if worker.hasRoutes, destination.isNamedByRequests {
            let hopCount = HopCount.received(head.fields)
            if hopCount > 0 { target = target.with(route: ConnectRoute(hopCount: hopCount)) }
        }
        let named = destination.head(head, &options)
        self.init(
            target: target,
            message: ForwardedRequest(head: named, url: url, body: body, options: options))
    }
}

extension InboundDestination {
    /// The one server of a connection whose client speaks HTTP/2; nil if requests name their
    /// servers themselves.
    func http2Target(on worker: ProxyWorker, for client: ClientConnection) -> ConnectTarget? {
        let target: ConnectTarget
        switch self {
        case .proxy: return nil
        case .reverse(let reverse):
            target = reverse.target(isHTTP2: true, worker.configuration)
        case .server(let server):
            let url = RawURL(
                scheme: server.scheme, host: server.host, port: server.port, origin: [])
            target = self.target(of: url, isHTTP2: true, configuration: worker.configuration)
        }
        return worker.routed(target, isRequest: false, for: client)
    }

    /// The head that is forwarded; the options say what else is done to it.
    fileprivate func head(
        _ head: consuming RequestHead, _ options: inout ForwardedRequest.Options
    ) -> RequestHead {
        switch self {
        case .proxy, .server: head
        case .reverse(let reverse): reverse.head(head, &options)
        }
    }

    /// Where a request goes: in a tunnel always to the tunnel's end, whatever Host says. A client
    /// that uses HTTP/2 without TLS knows that the server speaks it. The configuration, which is
    /// expensive to copy, is evaluated only for TLS.
    fileprivate func target(
        of url: borrowing RawURL, isHTTP2: Bool,
        configuration: @autoclosure () -> EngineConfiguration
    ) -> ConnectTarget {
        switch self {
        case .proxy where url.scheme == "https":
            configuration().target(of: url, isHTTP2: isHTTP2)
        case .proxy: .plain(url, isHTTP2: isHTTP2)
        case .reverse(let reverse): reverse.target(isHTTP2: isHTTP2, configuration())
        case .server(let server):
            ConnectTarget(
                host: server.host, port: server.port,
                tls: server.scheme == "https"
                    ? configuration().policy(
                        host: server.configuredHost, port: url.port,
                        serverName: server.serverName, alpn: server.alpn) : nil,
                route: server.route, hasPriorKnowledge: isHTTP2 && server.scheme == "http")
        }
    }
}

extension EngineConfiguration {
    /// The server that a URL names.
    func target(of url: borrowing RawURL, isHTTP2: Bool = false) -> ConnectTarget {
        guard url.scheme == "https" else { return .plain(url, isHTTP2: isHTTP2) }
        return ConnectTarget(
            host: url.host, port: url.port,
            tls: policy(
                host: url.host, port: url.port, serverName: nil,
                alpn: isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]))
    }

    func policy(
        host: String, port: UInt16, serverName: String?, alpn: [String]
    ) -> TLSPolicy {
        TLSPolicy.proxied(
            host: host, serverName: serverName, isVerified: isVerificationRequired(host, port),
            alpn: alpn)
    }
}

extension ConnectTarget {
    /// The server that a URL without TLS names.
    fileprivate static func plain(_ url: borrowing RawURL, isHTTP2: Bool) -> ConnectTarget {
        ConnectTarget(host: url.host, port: url.port, tls: nil, hasPriorKnowledge: isHTTP2)
    }
}
