public import ProxydHTTPModel

/// Where a request is sent instead.
public struct RemoteMapping: Sendable, Hashable {
    /// What its Host says.
    public enum Host: Sendable, Hashable {
        /// The server that it is sent to.
        case change
        /// What the client wrote.
        case keep
        /// This name.
        case name(String)
    }

    /// The server. What its path has goes in front of the request's.
    public let server: RawURL
    /// What the Host field says.
    public let host: Host
    /// What is taken from the front of the request's path first; empty for nothing.
    public let stripped: [UInt8]

    /// The URL that a request for `url` is sent to. Its query stays.
    func url(for url: RawURL) -> RawURL {
        var path = Array(url.path)
        if !stripped.isEmpty, path.starts(with: stripped) { path.removeFirst(stripped.count) }
        if path.first != UInt8(ascii: "/"), path != [UInt8(ascii: "*")] {
            path.insert(UInt8(ascii: "/"), at: 0)
        }
        var prefix = Array(server.path)
        while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
        var origin = prefix + path
        if let query = url.query { origin += [UInt8(ascii: "?")] + query }
        return RawURL(
            scheme: server.scheme, host: server.host, port: server.port, origin: origin)
    }
}
