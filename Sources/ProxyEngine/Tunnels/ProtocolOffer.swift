internal import ProxydTransport

/// The protocols in a client's ALPN offer (RFC 7301) that the proxy speaks, in the client's order.
struct ProtocolOffer {
    let names: [String]

    init(_ alpn: [String]) {
        names = alpn.reduce(into: []) { names, name in
            guard name == "h2" || name == "http/1.1", !names.contains(name) else { return }
            names.append(name)
        }
    }

    /// Whether HTTP/2 is offered.
    var hasHTTP2: Bool { names.contains("h2") }

    /// The protocol that the client prefers.
    var first: SpokenProtocol { names.first == "h2" ? .http2 : .http1 }

    /// The ALPN answer to the client, after what the server speaks.
    static func answer(_ spoken: SpokenProtocol) -> [String] {
        switch spoken {
        case .http2: ["h2"]
        case .http1: ["http/1.1"]
        case .unsaid: []
        }
    }

    /// The protocols to offer to the server on later connections: those compatible with its first
    /// choice, so that it does not choose one that the client was not told of.
    func offered(after spoken: SpokenProtocol) -> [String] {
        spoken == .http2 ? names : ["http/1.1"]
    }
}
