internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// Where the requests of a client connection go. What is known of one server is behind a reference,
/// because each request asks for the case.
enum InboundDestination {
    /// To the server that each request names: the client knows that it is using a proxy.
    case proxy
    /// To one server: the client asked for a tunnel, which the proxy intercepts.
    indirect case server(TunnelDestination)
    /// To the server whose place a listener takes.
    indirect case reverse(ReverseDestination)

    /// The connection that is already established, until an exchange takes it.
    var prepared: PreparedConnection? {
        if case .server(let server) = self { server.prepared } else { nil }
    }

    var isNamedByRequests: Bool { if case .proxy = self { true } else { false } }

    /// Events to record for each request because of its tunnel.
    var events: [ExchangeEvent] {
        if case .server(let server) = self { server.events } else { [] }
    }

    /// What replaces references to the server in the response to a request; nil for nothing.
    func backReferences(for head: borrowing RequestHead) -> BackReferences? {
        guard case .reverse(let reverse) = self else { return nil }
        return reverse.backReferences(for: copy head)
    }

    /// How request targets are interpreted.
    var receiver: Receiver {
        switch self {
        case .proxy: .proxy
        case .server(let server): server.receiver
        case .reverse(let reverse): .server(reverse.service.server)
        }
    }
}

/// The server at the end of a tunnel that the proxy intercepts.
struct TunnelDestination {
    /// `http` or `https`.
    let scheme: String
    let host: String
    let port: UInt16
    /// Whose names count for the requests.
    var naming = TunnelNaming.byNegotiation
    /// The server name in the client's TLS ClientHello; nil without TLS or without a name.
    let serverName: String?
    /// The protocols offered to the server (RFC 7301).
    let alpn: [String]
    /// The route to the server if it is not the default one for its name.
    var route: ConnectRoute?
    /// The connection made before CONNECT was answered, until an exchange takes it.
    let prepared: PreparedConnection?
    /// What was done to the tunnel, and therefore to each request in it.
    var events: [ExchangeEvent] = []

    var receiver: Receiver {
        switch naming {
        case .byNegotiation: .origin(scheme: scheme, host: host, port: port)
        case .byClient: .address(scheme: scheme, host: serverName ?? host, port: port)
        }
    }

    /// The host whose settings apply to TLS with the server.
    var configuredHost: String {
        switch naming {
        case .byNegotiation: host
        case .byClient: serverName ?? host
        }
    }
}

/// Whose names count for what is sent in a tunnel. They never decide where it leads.
enum TunnelNaming {
    /// The host that was negotiated is the name of the server.
    case byNegotiation
    /// Only an address was negotiated: the server has the name that the client uses in TLS, or in
    /// its requests.
    case byClient
}

extension OutgoingRequest {
    /// Creates the request to forward, with the server that its destination leads to.
    init(
        head: consuming RequestHead, url: consuming RawURL, body: BodyLength,
        maxForwards: MaxForwards, via destination: borrowing InboundDestination,
        settings: LoopSettings
    ) {
        var options = ForwardedRequest.Options()
        options.viaPseudonym = settings.configuration.viaPseudonym
        if case .forward(let count) = maxForwards { options.maxForwards = count }
        options.keepsHost = settings.configuration.keepsHost
        var target = destination.target(
            of: url, isHTTP2: head.version == .http2, configuration: settings.configuration)
        if settings.hasRoutes, destination.isNamedByRequests {
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
    func http2Target(for client: ClientConnection) -> ConnectTarget? {
        let target: ConnectTarget
        switch self {
        case .proxy: return nil
        case .reverse(let reverse): target = reverse.target(isHTTP2: true, client.configuration)
        case .server(let server):
            let url = RawURL(
                scheme: server.scheme, host: server.host, port: server.port, origin: [])
            target = self.target(of: url, isHTTP2: true, configuration: client.configuration)
        }
        return client.routed(target, isRequest: false)
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
        case .proxy where url.scheme == "https": configuration().target(of: url, isHTTP2: isHTTP2)
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
    func target(of url: borrowing RawURL, isHTTP2: Bool = false) -> ConnectTarget {
        guard url.scheme == "https" else { return .plain(url, isHTTP2: isHTTP2) }
        return ConnectTarget(
            host: url.host, port: url.port,
            tls: policy(
                host: url.host, port: url.port, serverName: nil,
                alpn: isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]))
    }

    func policy(host: String, port: UInt16, serverName: String?, alpn: [String]) -> TLSPolicy {
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

/// The way to a server: what rules have chosen, otherwise what the configuration says.
extension ClientConnection {
    /// The target by its upstream proxy, with its client certificate.
    /// - Parameter isRequest: Whether an HTTP proxy may get a request without TLS instead of being
    ///   asked for a tunnel.
    func routed(_ target: ConnectTarget, isRequest: Bool) -> ConnectTarget {
        guard let table = settings.configuration.routes else { return target }
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
        if let version = proxy.headerVersion { way.header = header(version) }
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
        _ policy: TLSPolicy, of target: ConnectTarget, _ choice: ConnectRoute, _ table: RouteTable
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

extension ClientConnection {
    /// The request by the way that it goes. A connection that was made for its tunnel is used as it
    /// is; an offer to switch protocols needs a tunnel, because few proxies forward it, and so does
    /// a Host that is not the server's, because a proxy replaces it (RFC 9112 §3.2.2).
    func routed(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?
    ) -> OutgoingRequest {
        // The name that a redirected client uses must not decide where its request goes.
        let isNamed = HostName.areSame(request.message.url.host, request.target.host)
        let message = request.message
        let isRequest =
            prepared == nil && isNamed && !message.head.offersUpgrade && !message.keepsOtherHost
        let target = routed(request.target, isRequest: isRequest)
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

/// What Max-Forwards asks of a proxy (RFC 9110 §7.6.2): it applies only to TRACE and OPTIONS.
enum MaxForwards: Equatable {
    /// No limit: forward the request unchanged.
    case absent
    case forward(UInt64)
    /// Answer the request here.
    case answer

    init(_ head: borrowing RequestHead) {
        guard head.method == .trace || head.method == .options,
            let text = head.fields.value(.maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else {
            self = .absent
            return
        }
        // A number that overflows counts as the largest one.
        let count = UInt64(text) ?? .max
        self = count == 0 ? .answer : .forward(count - 1)
    }
}
