internal import ProxydHTTPModel

/// A server that captures are of.
struct MockOrigin: Sendable, Hashable {
    let scheme: String
    /// In lower case.
    let host: String
    let port: UInt16

    init(_ url: RawURL) {
        scheme = url.scheme
        host = url.host.lowercased()
        port = url.port
    }
}
