internal import FoundationEssentials
internal import ProxydHTTPModel

/// `RawURL` in the format of the control socket.
struct URLMessage: Sendable, Hashable, Codable {
    var scheme: String
    var host: String
    var port: UInt16
    var origin: Data

    init(_ url: RawURL) {
        scheme = url.scheme
        host = url.host
        port = url.port
        origin = Data(url.origin)
    }

    var url: RawURL {
        RawURL(scheme: scheme, host: host, port: port, origin: [UInt8](origin))
    }
}
