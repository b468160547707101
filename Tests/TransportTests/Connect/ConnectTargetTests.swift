import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import Testing

@testable import ProxydTransport

/// Which connections lead to the same server.
struct ConnectTargetTests {
    private func target(
        _ host: String = "a.test", _ port: UInt16 = 80, tls: TLSPolicy? = nil,
        route: ConnectRoute? = nil, h2: Bool = false
    ) -> ConnectTarget {
        ConnectTarget(host: host, port: port, tls: tls, route: route, hasPriorKnowledge: h2)
    }

    private func policy(_ name: String = "a.test", alpn: [String] = ["http/1.1"]) -> TLSPolicy {
        TLSPolicy(name: name, verification: .required, alpn: alpn)
    }

    @Test func `connection targets whose hosts differ only in case or a final dot are equal`() {
        #expect(target("A.Test.") == target() && target("A.Test.").hashValue == target().hashValue)
        #expect(target("A.Test.").host == "A.Test." && target("A.Test.").name == "a.test")
    }

    @Test func `two connection targets differ if their host, port, TLS policy or route differs`() {
        let proxy = UpstreamProxy(name: "p", kind: .http, host: "h", port: 1)
        let twin = UpstreamProxy(name: "p", kind: .http, host: "h", port: 1)
        let others = [
            target("b.test"), target(port: 81), target(tls: policy()), target(tls: policy("b")),
            target(tls: policy(alpn: ["h2"])), target(h2: true),
            target(route: ConnectRoute(address: SocketAddress(ipv4: 1, port: 80))),
            target(route: ConnectRoute(clientCertificate: "team")),
            target(route: ConnectRoute(header: [1])), target(route: ConnectRoute(hopCount: 2)),
            target(route: ConnectRoute(upstream: .direct)),
            target(route: ConnectRoute(upstream: .through(UpstreamRoute(proxy)))),
            target(route: ConnectRoute(upstream: .through(UpstreamRoute(twin)))), target(),
        ]
        #expect(Set(others).count == others.count)
        #expect(target(tls: policy()) == target(tls: policy()))
        let route = ConnectRoute(upstream: .through(UpstreamRoute(proxy)))
        #expect(target().with(route: route) == target(route: route))
    }

    private func target(port: UInt16) -> ConnectTarget { target("a.test", port) }

    @Test func `only connections that may use HTTP/2 can be shared by several exchanges`() {
        #expect(!target().mayBeShared && !target(tls: policy()).mayBeShared)
        #expect(target(h2: true).mayBeShared && target(tls: policy(alpn: ["h2"])).mayBeShared)
    }

    @Test(arguments: [("::1", "[::1]:80"), ("[::1]", "[::1]:80"), ("a.test", "a.test:80")])
    func `the authority of a connection target has brackets around an IPv6 address`(
        host: String, authority: String
    ) {
        #expect(target(host).authority == authority)
    }
}

/// How the servers of intercepted clients are verified.
struct TLSPolicyTests {
    @Test(arguments: [
        (nil, "h.test", "h.test"), ("s.test", "h.test", "s.test"),
        ("S.Test.", "h.test", "s.test"), ("10.0.0.1", "H.test.", "h.test"),
        ("::1", "h.test", "h.test"),
    ])
    func `a server certificate is checked against the client's SNI or, if absent, the host name`(
        asked: String?, host: String, name: String
    ) {
        let policy = TLSPolicy.proxied(host: host, serverName: asked, isVerified: true)
        #expect(policy.verifyName == name)
        #expect(policy.verification == .required && policy.alpn == ["http/1.1"])
        let open = TLSPolicy.proxied(host: host, serverName: asked, isVerified: false)
        #expect(open.verification == .disabled)
    }
}
