internal import ProxydTLS
internal import ProxydTransport

/// A version of HTTP that a session may speak, and how it is agreed on.
public enum HTTPProtocol: Sendable, Hashable {
    /// HTTP/1.1.
    case http11
    /// HTTP/2 where the server takes it in the TLS handshake (RFC 7301); never without TLS.
    case http2
    /// HTTP/2 without asking, TLS or not (RFC 9113 §3.3).
    case http2PriorKnowledge
}

extension HTTPProtocol {
    /// HTTP/2 to the server of a URL and nothing else: agreed on where there is TLS.
    public static func onlyHTTP2(scheme: String) -> HTTPProtocol {
        scheme == "https" ? .http2 : .http2PriorKnowledge
    }
}

extension [HTTPProtocol] {
    /// Whether a server may be spoken to in HTTP/2.
    func mayBeHTTP2(isSecure: Bool) -> Bool {
        contains(.http2PriorKnowledge) || (isSecure && contains(.http2))
    }

    /// What TLS offers, most wanted first.
    var alpn: [String] {
        var names: [String] = []
        for name in map({ $0 == .http11 ? "http/1.1" : "h2" }) where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? ["http/1.1"] : names
    }
}

extension ConnectTarget {
    /// Whether nothing but HTTP/2 was offered.
    var wantsHTTP2Only: Bool { tls?.alpn == ["h2"] }
}
