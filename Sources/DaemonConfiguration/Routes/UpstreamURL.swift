internal import ProxydConfigurationText

/// The URL of an upstream proxy: `http://HOST:PORT`.
package struct UpstreamURL: Sendable, Hashable {
    /// The protocol used with a proxy.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http, https, socks5, socks4a

        /// The port if none is given.
        var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks4a: 1_080
            }
        }
    }

    /// The protocol.
    package let scheme: Scheme
    /// A name in lower case, or an address without brackets.
    package let host: String
    /// The port.
    package let port: UInt16

    /// Parses a URL; nil for anything else. A user name is not accepted: it has a key of its own,
    /// and a password must not be in the configuration.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
            return nil
        }
        var place = parts[1]
        if place.last == "/" { place.removeLast() }
        let isSecure = scheme == .https
        let server = ReverseServer(place, isSecure: isSecure)
        guard let server, server.prefix.isEmpty, !place.contains("/") else { return nil }
        let hasPort = place.last != "]" && place.contains(":")
        self.scheme = scheme
        host = server.host
        port = hasPort ? server.port : scheme.defaultPort
    }

    /// The URL with its port.
    package var text: String {
        "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension UpstreamURL: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String {
        "http://HOST:PORT, or the same with https, socks5 or socks4a, and without a user name"
    }
    /// Parses a URL.
    package static func read(_ text: String) -> UpstreamURL? { UpstreamURL(text) }
}
