internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// How a client came and how its server was reached: members of `show --json`, and with an
/// underscore before their names of HAR entries.
enum RouteJSON {
    /// `listener`, `mode`, `upstream`, `original_address` and `proxy_protocol_peer`.
    static func members(_ exchange: Exchange) -> [(name: String, value: JSONValue)] {
        let arrival = exchange.client?.arrival
        return [
            ("listener", .text(arrival?.listener)), ("mode", .text(arrival?.mode.rawValue)),
            ("upstream", .text(exchange.server?.upstream)),
            ("original_address", .text(arrival?.originalAddress)),
            ("proxy_protocol_peer", .text(arrival?.proxyProtocolPeer)),
        ]
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
        guard let listener = text("listener"),
            let mode = text("mode").flatMap(ConnectionRecord.Arrival.Mode.init(rawValue:))
        else { return }
        exchange.client?.arrival = ConnectionRecord.Arrival(
            listener: listener, mode: mode, originalAddress: text("original_address"),
            proxyProtocolPeer: text("proxy_protocol_peer"))
    }
}
