internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTransport

/// Parts of a stream that need none of its state.
extension HTTP2ServerStream {
    /// The error that a tunnel receives when the client resets its stream.
    static let streamLost = StreamError(
        kind: .reset, message: "the client reset the stream")

    /// Whether a request is for the address that the client is connected to: HTTP/2 has no form of
    /// request target that says so.
    func isOwn(_ url: RawURL) -> Bool {
        guard namesServers, url.scheme == "http" else { return false }
        let local = link.stream.localAddress
        guard url.port == local.port else { return false }
        return url.host.lowercased() == "localhost"
            ? local.isLoopback : SocketAddress(ip: url.host, port: url.port) == local
    }
}
