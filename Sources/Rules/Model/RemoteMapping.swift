public import ProxydHTTPModel

/// The server that a request is sent to instead of its own.
public struct RemoteMapping: Sendable, Hashable {
    /// The value of the Host field.
    public enum Host: Sendable, Hashable {
        /// The server that the request is sent to.
        case change
        /// The host that the client wrote.
        case keep
        /// This host name, with or without a port.
        case name(String)
    }

    /// The server. Its path is added before the path of the request.
    public let server: RawURL
    /// The value of the Host field.
    public let host: Host
    /// The prefix that is removed from the request's path first, whole names only: `/v1` leaves
    /// `/a` of `/v1/a`, and all of `/v10/a`. Empty for none.
    public let stripped: [UInt8]

    /// The URL that a request for `url` is sent to. Its query is kept.
    func url(for url: RawURL) -> RawURL {
        var path = Array(url.path)
        // A request to the server as a whole has no path.
        if path == [UInt8(ascii: "*")] {
            return RawURL(
                scheme: server.scheme, host: server.host, port: server.port, origin: path)
        }
        path = withoutPrefix(path)
        if path.first != UInt8(ascii: "/") { path.insert(UInt8(ascii: "/"), at: 0) }
        var prefix = Array(server.path)
        while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
        var origin = prefix + path
        if let query = url.query { origin += [UInt8(ascii: "?")] + query }
        return RawURL(
            scheme: server.scheme, host: server.host, port: server.port, origin: origin)
    }

    private func withoutPrefix(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard !stripped.isEmpty, path.starts(with: stripped) else { return path }
        let rest = path.dropFirst(stripped.count)
        let endsName = stripped.last == slash || rest.isEmpty || rest.first == slash
        return endsName ? Array(rest) : path
    }
}
