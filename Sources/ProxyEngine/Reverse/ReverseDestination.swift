internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// The destination of the requests on a connection of a reverse listener.
struct ReverseDestination {
    let service: ReverseService
    /// `http` or `https`, as the client uses it.
    let scheme: String
    /// The listener's address and port, which a request that names no host has asked.
    let address: String
    /// The route to the server if it is not the default one for its name.
    private let route: ConnectRoute?
    /// Replaces references to the listener in requests; nil to forward them as they are.
    private let references: RequestReferences?

    init(
        service: ReverseService, scheme: String, address: String, for client: ClientConnection
    ) {
        self.service = service
        self.scheme = scheme
        self.address = address
        route = service.headerVersion.map { ConnectRoute(header: client.header($0)) }
        var host: String?
        if case .name(let name) = service.hostField { host = name }
        references =
            service.rewritesRequests
            ? RequestReferences(
                to: service.server, host: host, scheme: scheme, address: address) : nil
    }

    private var server: ReplacedServer { service.server }

    /// The server as a target. A client that uses HTTP/2 without TLS expects a server that does.
    func target(
        isHTTP2: Bool, _ configuration: @autoclosure () -> EngineConfiguration
    ) -> ConnectTarget {
        guard server.scheme == "https" else {
            return ConnectTarget(
                host: server.host, port: server.port, tls: nil, route: route,
                hasPriorKnowledge: isHTTP2 && scheme == "http")
        }
        return ConnectTarget(
            host: server.host, port: server.port,
            tls: configuration().policy(
                host: server.host, port: server.port, serverName: nil,
                alpn: isHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]),
            route: route)
    }

    /// The head with the Host field and the references for the server; the options say what else is
    /// done to it.
    func head(
        _ head: consuming RequestHead, _ options: inout ForwardedRequest.Options
    ) -> RequestHead {
        if !server.prefix.isEmpty { options.isChanged = true }
        if let changed = references?.replaced(in: head) {
            options.isChanged = true
            head = changed
        }
        switch service.hostField {
        case .change:
            options.keepsHost = false
            options.regeneratesHost = true
            return head
        case .keep:
            options.keepsHost = true
            return head
        case .name(let name):
            options.keepsHost = true
            options.isChanged = true
            return named(head, name)
        }
    }

    private func named(_ head: RequestHead, _ name: String) -> RequestHead {
        var fields = head.fields
        if let position = fields.positions(named: "Host").first {
            fields.setValue(Array(name.utf8), ofLineAt: position)
        } else if head.version < .http2 {
            fields.append(name: "Host", value: name)
        }
        return head.changed(authority: name, fields: fields)
    }

    /// What replaces references to the server in the response to a request; nil for nothing.
    func backReferences(for head: RequestHead) -> BackReferences? {
        guard service.rewritesBack else { return nil }
        return BackReferences(
            to: server, scheme: scheme, request: head, address: address)
    }
}
