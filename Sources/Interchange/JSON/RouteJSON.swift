internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// How a client came and how its server was reached: members of `show --json`, and with an
/// underscore before their names of HAR entries.
enum RouteJSON {
    /// `listener`, `mode`, `upstream`, `original_address`, `proxy_protocol_peer` and
    /// `client_certificate`.
    static func members(_ exchange: Exchange) -> [(name: String, value: JSONValue)] {
        let arrival = exchange.client?.arrival
        return [
            ("listener", .text(arrival?.listener)), ("mode", .text(arrival?.mode.rawValue)),
            ("upstream", .text(exchange.server?.upstream)),
            ("original_address", .text(arrival?.originalAddress)),
            ("proxy_protocol_peer", .text(arrival?.proxyProtocolPeer)),
            ("client_certificate", clientCertificate(exchange.server?.security)),
        ]
    }

    /// What became of the server's request for a client certificate; null if it made none.
    private static func clientCertificate(_ security: ConnectionRecord.Security?) -> JSONValue {
        guard let security, let authorities = security.requestedAuthorities else { return .null }
        return .members([
            ("shown", .bool(security.showsClientCertificate)),
            ("authorities", .array(authorities.map { .string($0) })),
        ])
    }

    /// The same members and `user` for a HAR entry, without those that are absent.
    static func harMembers(_ exchange: Exchange) -> [(String, JSONValue)] {
        (members(exchange) + [("user", .text(exchange.user))]).compactMap { name, value in
            value == .null ? nil : ("_" + name, value)
        }
    }

    /// Reads the members and `user` again. The exchange has its connections already; what is
    /// missing or invalid is left out.
    static func take(_ value: JSONValue, prefix: String = "", into exchange: inout Exchange) {
        func text(_ name: String) -> String? { value[prefix + name]?.text }
        exchange.user = text("user")
        exchange.server?.upstream = text("upstream")
        if let asked = value[prefix + "client_certificate"], asked != .null {
            exchange.server?.security?.requestedAuthorities =
                asked["authorities"]?.elements.compactMap(\.text) ?? []
            exchange.server?.security?.showsClientCertificate = asked["shown"] == .bool(true)
        }
        guard let listener = text("listener"),
            let mode = text("mode").flatMap(ConnectionRecord.Arrival.Mode.init(rawValue:))
        else { return }
        exchange.client?.arrival = ConnectionRecord.Arrival(
            listener: listener, mode: mode, originalAddress: text("original_address"),
            proxyProtocolPeer: text("proxy_protocol_peer"))
    }
}
