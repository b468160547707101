internal import ProxydTLS
internal import ProxydTransport

/// A version of HTTP that a session may use, and how it is negotiated.
public enum HTTPProtocol: Sendable, Hashable {
    /// HTTP/1.1.
    case http11
    /// HTTP/2 if the server agrees to it in the TLS handshake (ALPN, RFC 7301); never without TLS.
    case http2
    /// HTTP/2 without negotiation, with or without TLS (RFC 9113 §3.3).
    case http2PriorKnowledge
}

extension HTTPProtocol {
    /// The protocol that uses only HTTP/2 for a URL of this scheme: negotiated if there is TLS, by
    /// prior knowledge if not.
    public static func onlyHTTP2(scheme: String) -> HTTPProtocol {
        scheme == "https" ? .http2 : .http2PriorKnowledge
    }
}

extension [HTTPProtocol] {
    /// Whether HTTP/2 may be used with a server.
    func mayBeHTTP2(isSecure: Bool) -> Bool {
        contains(.http2PriorKnowledge) || (isSecure && contains(.http2))
    }

    /// The ALPN protocols offered in the TLS handshake, in order of preference.
    var alpn: [String] {
        var names: [String] = []
        for name in map({ $0 == .http11 ? "http/1.1" : "h2" }) where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? ["http/1.1"] : names
    }
}

extension ConnectTarget {
    /// Whether only HTTP/2 was offered.
    var wantsHTTP2Only: Bool { tls?.alpn == ["h2"] }
}
