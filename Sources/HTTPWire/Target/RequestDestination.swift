public import ProxydHTTPModel

/// The destination of a request.
public enum RequestDestination: Sendable, Hashable {
    /// To the origin of a URL.
    case forward(RawURL)
    /// CONNECT: a tunnel to a host (an IPv6 literal without brackets) and port.
    case tunnel(host: String, port: UInt16)
    /// To the proxy's own pages: path and query, or `*`.
    case proxyItself(path: String)
}
