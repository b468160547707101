internal import ProxydTransport

/// What of a client's offer (RFC 7301) is spoken here, in its order.
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

    /// What the client wants most.
    var first: SpokenProtocol { names.first == "h2" ? .http2 : .http1 }

    /// What the client is told that the server speaks.
    static func answer(_ spoken: SpokenProtocol) -> [String] {
        switch spoken {
        case .http2: ["h2"]
        case .http1: ["http/1.1"]
        case .unsaid: []
        }
    }

    /// What is offered to the server from now on: what it took, so that it takes nothing that the
    /// client was not told of.
    func offered(after spoken: SpokenProtocol) -> [String] {
        spoken == .http2 ? names : ["http/1.1"]
    }
}
