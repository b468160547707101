internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

extension OutgoingRequest {
    /// What goes on of a client's request, to the server that its destination leads to.
    init(
        head: consuming RequestHead, url: consuming RawURL, body: BodyLength,
        maxForwards: MaxForwards, via destination: borrowing InboundDestination,
        configuration: borrowing EngineConfiguration
    ) {
        var options = ForwardedRequest.Options()
        options.viaPseudonym = configuration.viaPseudonym
        if case .forward(let count) = maxForwards { options.maxForwards = count }
        options.keepsHost = configuration.keepsHost
        let target = destination.target(
            of: url, isHTTP2: head.version == .http2, configuration: configuration)
        self.init(
            target: target,
            message: ForwardedRequest(head: head, url: url, body: body, options: options))
    }
}

extension InboundDestination {
    /// The server at the end of a tunnel whose client speaks HTTP/2; nil if requests name theirs.
    func http2Target(_ configuration: borrowing EngineConfiguration) -> ConnectTarget? {
        guard case .server(let server) = self else { return nil }
        let url = RawURL(scheme: server.scheme, host: server.host, port: server.port, origin: [])
        return target(of: url, isHTTP2: true, configuration: configuration)
    }

    /// Where a request goes: in a tunnel always to the tunnel's end, whatever Host says. Who speaks
    /// HTTP/2 without having asked knows that the server does.
    fileprivate func target(
        of url: borrowing RawURL, isHTTP2: Bool, configuration: borrowing EngineConfiguration
    ) -> ConnectTarget {
        switch self {
        case .proxy: configuration.target(of: url, isHTTP2: isHTTP2)
        case .server(let server):
            ConnectTarget(
                host: server.host, port: server.port,
                tls: server.scheme == "https"
                    ? configuration.policy(
                        host: server.host, port: url.port, serverName: server.serverName,
                        alpn: server.alpn) : nil,
                route: server.route, hasPriorKnowledge: isHTTP2 && server.scheme == "http")
        }
    }
}

extension EngineConfiguration {
    /// The server that a URL names.
    func target(of url: borrowing RawURL, isHTTP2: Bool = false) -> ConnectTarget {
        let isSecure = url.scheme == "https"
        return ConnectTarget(
            host: url.host, port: url.port,
            tls: isSecure
                ? policy(
                    host: url.host, port: url.port, serverName: nil,
                    alpn: isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]) : nil,
            hasPriorKnowledge: isHTTP2 && !isSecure)
    }

    fileprivate func policy(
        host: String, port: UInt16, serverName: String?, alpn: [String]
    ) -> TLSPolicy {
        TLSPolicy.proxied(
            host: host, serverName: serverName, isVerified: isVerificationRequired(host, port),
            alpn: alpn)
    }
}
