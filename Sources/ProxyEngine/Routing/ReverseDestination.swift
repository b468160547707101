internal import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTLS
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

    init(service: ReverseService, scheme: String, address: String, for client: ClientConnection) {
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
        return BackReferences(to: server, scheme: scheme, request: head, address: address)
    }
}

/// What a reverse listener offers: the server whose place it takes, and how clients reach it.
public final class ReverseService: Sendable {
    /// The value of Host for the server.
    public enum HostField: Sendable, Hashable {
        /// The server's own name.
        case change
        case keep
        case name(String)
    }

    /// The certificate that clients get.
    public enum ClientTLS: Sendable {
        /// None: clients do not use TLS.
        case none
        /// One of the proxy's authority, for the name that the client asks for, and otherwise for
        /// this one; without a name, for the address that the client connected to.
        case authority(name: String?)
        /// The user's own. The closure returns the one that is in force.
        case certificate(@Sendable () -> TLSServerContext)
    }

    public let server: ReplacedServer
    public let hostField: HostField
    /// Whether references to the server in responses are replaced by references to the listener.
    public let rewritesBack: Bool
    /// Whether references to the listener in requests are replaced by references to the server.
    public let rewritesRequests: Bool
    public let clientTLS: ClientTLS
    /// The form of the PROXY header that names the client to the server; nil to send none.
    public let headerVersion: PROXYVersion?

    /// Creates a service. Without `rewritesRequests`, requests are rewritten if Host is changed.
    public init(
        server: ReplacedServer, hostField: HostField = .change, rewritesBack: Bool = true,
        rewritesRequests: Bool? = nil, clientTLS: ClientTLS = .none,
        headerVersion: PROXYVersion? = nil
    ) {
        self.headerVersion = headerVersion
        self.server = server
        self.hostField = hostField
        self.rewritesBack = rewritesBack
        self.rewritesRequests = rewritesRequests ?? (hostField != .keep)
        self.clientTLS = clientTLS
    }
}
