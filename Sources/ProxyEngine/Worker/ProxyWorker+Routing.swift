internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// The way to a server: what rules have chosen, otherwise what the configuration says.
extension ProxyWorker {
    /// The target by its upstream proxy, with its client certificate.
    /// - Parameter isRequest: Whether an HTTP proxy may get a request without TLS instead of being
    ///   asked for a tunnel.
    func routed(
        _ target: ConnectTarget, isRequest: Bool, for client: ClientConnection
    ) -> ConnectTarget {
        guard let table = configuration.routes else { return target }
        let choice = target.route ?? ConnectRoute()
        let policy = target.tls.map { identified($0, of: target, choice, table) }
        let proxy: UpstreamProxy?
        switch choice.upstream {
        case .direct: proxy = nil
        case .asConfigured:
            proxy = table.upstream(target.name, target.port, target.tls == nil && isRequest)
        case .named(let name):
            guard let named = table.upstreamNamed(name) else { return target }
            proxy = named
        case .through: return target
        }
        guard let proxy else {
            let route = ConnectRoute(address: choice.address, header: choice.header)
            return target.with(tls: policy, route: route == ConnectRoute() ? nil : route)
        }
        var way = UpstreamRoute(proxy)
        way.hopCount = choice.hopCount + 1
        if let version = proxy.headerVersion { way.header = client.header(version) }
        let takesRequest =
            isRequest && proxy.speaksHTTP && target.tls == nil && !target.hasPriorKnowledge
            && choice.address == nil && choice.header.isEmpty
        guard takesRequest else {
            return target.with(
                tls: policy,
                route: ConnectRoute(
                    address: choice.address, upstream: .through(way), header: choice.header))
        }
        way.takesRequests = true
        return ConnectTarget(
            host: proxy.host, port: proxy.port, tls: nil,
            route: ConnectRoute(upstream: .through(way)))
    }

    /// A certificate is shown only to a verified server, under the name that it is configured for.
    private func identified(
        _ policy: TLSPolicy, of target: ConnectTarget, _ choice: ConnectRoute,
        _ table: RouteTable
    ) -> TLSPolicy {
        guard policy.verification == .required else { return policy }
        var policy = policy
        if let name = choice.clientCertificate {
            // The rule was asked about the host that the client named, not about its SNI.
            let isSame = HostName.canonical(policy.verifyName) == target.name
            policy.identity = isSame ? table.certificateNamed(name) : nil
        } else {
            policy.identity = table.certificate(policy.verifyName, target.port)
        }
        return policy
    }
}

extension ProxyWorker {
    /// The request by the way that it goes. A connection that was made for its tunnel is used as it
    /// is; an offer to switch protocols needs a tunnel, because few proxies forward it, and so does
    /// a Host that is not the server's, because a proxy replaces it (RFC 9112 §3.2.2).
    func routed(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?,
        for client: ClientConnection
    ) -> OutgoingRequest {
        // The name that a redirected client uses must not decide where its request goes.
        let isNamed = HostName.areSame(request.message.url.host, request.target.host)
        let message = request.message
        let isRequest =
            prepared == nil && isNamed && !message.head.offersUpgrade && !message.keepsOtherHost
        let target = routed(request.target, isRequest: isRequest, for: client)
        return OutgoingRequest(target: target, message: request.message)
    }
}

extension ConnectTarget {
    fileprivate func with(tls: TLSPolicy?, route: ConnectRoute?) -> ConnectTarget {
        ConnectTarget(
            host: host, port: port, tls: tls, route: route, hasPriorKnowledge: hasPriorKnowledge)
    }
}

extension ForwardedRequest {
    /// Whether the server gets a Host that does not name it.
    fileprivate var keepsOtherHost: Bool {
        guard options.keepsHost, !options.regeneratesHost, let host = head.authority else {
            return false
        }
        return HostName.canonical(host) != HostName.canonical(url.authority)
    }
}

extension RequestHead {
    fileprivate var offersUpgrade: Bool { fields.value(.upgrade) != nil }
}

extension ClientConnection {
    /// A PROXY header that names both ends, or those that the client's own header named.
    func header(_ version: PROXYVersion) -> [UInt8] { PROXYHeader(addresses).bytes(version) }

    private var addresses: PROXYAddresses? {
        let named = record.arrival?.proxyProtocolPeer.flatMap(SocketAddress.init(written:))
        let original = record.arrival?.originalAddress.flatMap(SocketAddress.init(written:))
        guard let source = PROXYAddresses.Endpoint(named ?? peer),
            let destination = PROXYAddresses.Endpoint(original ?? local)
        else { return nil }
        return PROXYAddresses(source: source, destination: destination)
    }
}

extension SocketAddress {
    /// Parses what `description` writes.
    fileprivate init?(written text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        self.init(ip: String(text[..<colon]), port: port)
    }
}
