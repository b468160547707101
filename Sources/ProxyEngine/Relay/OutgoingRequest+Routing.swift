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
        let target = destination.target(of: url, configuration: configuration)
        self.init(
            target: target,
            message: ForwardedRequest(head: head, url: url, body: body, options: options))
    }
}

extension InboundDestination {
    /// Where a request goes: in a tunnel always to the tunnel's end, whatever Host says.
    fileprivate func target(
        of url: borrowing RawURL, configuration: borrowing EngineConfiguration
    ) -> ConnectTarget {
        switch self {
        case .proxy: configuration.target(of: url)
        case .server(let server):
            ConnectTarget(
                host: server.host, port: server.port,
                tls: server.scheme == "https"
                    ? configuration.policy(
                        host: server.host, port: url.port, serverName: server.serverName) : nil,
                route: server.route)
        }
    }
}

extension EngineConfiguration {
    /// The server that a URL names.
    func target(of url: borrowing RawURL) -> ConnectTarget {
        ConnectTarget(
            host: url.host, port: url.port,
            tls: url.scheme == "https"
                ? policy(host: url.host, port: url.port, serverName: nil) : nil)
    }

    fileprivate func policy(host: String, port: UInt16, serverName: String?) -> TLSPolicy {
        TLSPolicy.proxied(
            host: host, serverName: serverName, isVerified: isVerificationRequired(host, port))
    }
}
