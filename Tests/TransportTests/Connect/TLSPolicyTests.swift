import ProxydTLS
import Testing

@testable import ProxydTransport

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
