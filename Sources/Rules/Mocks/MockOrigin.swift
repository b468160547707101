internal import ProxydHTTPModel

/// A server of captured exchanges.
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
