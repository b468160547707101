internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Decides who may read the proxy's own pages: clients that ask for them by the proxy's name or an
/// address.
///
/// A web page whose own name was made to resolve to this machine (DNS rebinding) sends that name,
/// and scripts of other sites send their Origin. Both are refused: the certificate authority is
/// unique, so its fingerprint would identify the user.
enum PageAccess {
    static func isAllowed(_ head: RequestHead, ownHostNames: Set<String>) -> Bool {
        let authority = head.authority
        let ownOrigin = "http://\(authority?.lowercased() ?? "")"
        guard head.fields.values(named: "Origin").allSatisfy({ $0.lowercased() == ownOrigin })
        else { return false }
        // Only HTTP/1.0 requests may lack a Host field, and no browser sends those.
        guard let authority else { return true }
        let host = host(of: authority)
        return host.lowercased() == "localhost" || ownHostNames.haveHost(host)
            || SocketAddress(ip: host, port: 0) != nil
    }

    /// Where a client reaches this proxy: at the host that it named, or, if that is a name of the
    /// proxy's pages, which only the proxy itself knows, at the address that it connected to.
    static func authority(
        _ head: RequestHead, on connection: ClientConnection, _ ownHostNames: Set<String>
    ) -> String? {
        guard let authority = head.authority, ownHostNames.haveHost(host(of: authority)) else {
            return head.authority
        }
        return connection.local.description
    }

    /// The host of a valid Host value, without brackets and port.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") {
            return String(authority.dropFirst().prefix { $0 != "]" })
        }
        return String(authority.prefix { $0 != ":" })
    }
}
