import ProxydEventLoops
import ProxydHTTPModel
import Testing

@testable import ProxydTransport

/// What users are told of an upstream proxy: its name, whose fault it is, and no secret.
struct UpstreamFailureTests {
    private let target = ConnectTarget(host: "shop.test", port: 443, tls: nil)

    private func proxy(_ password: ProxyPassword? = nil) -> UpstreamProxy {
        UpstreamProxy(name: "corp", kind: .http, host: "10.0.0.1", port: 3_128, password: password)
    }

    private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
        ResponseHead(
            status: status, reason: "secret reason",
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    }

    @Test func `an upstream proxy's refusal is reported with its status but not its reason phrase`()
    {
        let failure = ExchangeFailure.upstream(proxy(), refused: head(403), target)
        #expect(failure.origin == .upstream && failure.kind == .connectFailed)
        #expect(
            failure.message
                == "the upstream proxy \"corp\" refused a tunnel to shop.test:443 (403): "
                + "the proxy decided this, not the server")
        let request = ExchangeFailure.upstream(proxy(), refused: head(503), nil)
        #expect(request.message.contains("refused the request (503)"))
        #expect(!request.message.contains("secret"))
    }

    @Test
    func `a 508 from an upstream proxy and a chain of too many proxies are reported as loops`() {
        let failure = ExchangeFailure.upstream(proxy(), refused: head(508), target)
        #expect(failure.kind == .loop && failure.message.hasSuffix("the proxies form a loop"))
        let long = ExchangeFailure.chainTooLong(proxy())
        #expect(long.kind == .loop && long.origin == .client)
    }

    @Test
    func `the error for a 407 from an upstream proxy says whether credentials are configured`() {
        let offer = head(407, [("Proxy-Authenticate", "Negotiate, Basic realm=\"r\"")])
        let without = ExchangeFailure.upstream(proxy(), refused: offer, target)
        #expect(without.origin == .proxy)
        #expect(without.message.contains("the configuration has none for it; it offers Negotiate"))
        let wrong = ExchangeFailure.upstream(
            proxy(ProxyPassword(user: "ann", password: "hunter2")), refused: offer, target)
        #expect(wrong.message.contains("does not accept the configured user and password (407)"))
        #expect(!wrong.message.contains("hunter2") && !wrong.message.contains("ann"))
        let silent = ExchangeFailure.upstream(proxy(), refused: head(407), target)
        #expect(silent.message.hasSuffix("the configuration has none for it"))
    }

    @Test
    func `control characters in auth scheme names of an upstream proxy are left out of the error`()
    {
        let offer = head(407, [("Proxy-Authenticate", "Ba\u{1B}[31msic realm=x")])
        let failure = ExchangeFailure.upstream(proxy(), refused: offer, target)
        #expect(!failure.message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test(arguments: [
        (ProxyHandshakeError.badDestination, ExchangeFailure.Origin.proxy),
        (.badCredential, .proxy), (.noAcceptableMethod, .proxy), (.authenticationFailed, .proxy),
        (.notSOCKS5, .upstream), (.connectionRefused, .upstream), (.unknownReply(77), .upstream),
        (.malformedReply, .upstream),
    ])
    func `a failed upstream proxy handshake is attributed to this proxy or the upstream proxy`(
        error: ProxyHandshakeError, origin: ExchangeFailure.Origin
    ) {
        let failure = ExchangeFailure.upstream(proxy(), error, target)
        #expect(failure.origin == origin && failure.kind == .connectFailed)
        #expect(
            failure.message
                == "the upstream proxy \"corp\" did not connect to shop.test:443: \(error)")
    }

    @Test func `the error for an IPv6 address through SOCKS 4 says that SOCKS 4 cannot reach it`() {
        let old = UpstreamProxy(name: "old", kind: .socks4a, host: "h", port: 1_080)
        let six = ConnectTarget(host: "::1", port: 80, tls: nil)
        let failure = ExchangeFailure.upstream(old, .badDestination, six)
        #expect(failure.message.contains("did not connect to [::1]:80: SOCKS 4 cannot reach"))
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `each SOCKS reply other than success has a one-line error message`(reply: UInt8) {
        let five = ProxyHandshakeError(reply: reply)
        #expect((five == nil) == (reply == 0))
        for error in [five, ProxyHandshakeError(reply4: reply)].compactMap({ $0 }) {
            #expect(!error.description.isEmpty && !error.description.contains("\n"))
        }
        if reply > 8 { #expect(five == .unknownReply(reply)) }
    }

    @Test(arguments: [
        ("ann", "secret", "Basic YW5uOnNlY3JldA=="), ("", "", "Basic Og=="),
        ("é", "ü:x", "Basic w6k6w7w6eA=="), ("a:b", "c", nil), ("a\r\nX: 1", "c", nil),
        ("a", "b\u{0}", nil), ("a", "b\u{7F}", nil),
    ])
    func `Basic credentials are encoded as RFC 7617 requires, and omitted if that is impossible`(
        user: String, password: String, value: String?
    ) {
        let found = ProxyPassword(user: user, password: password)
        #expect(found.basicValue.map { String(decoding: $0, as: UTF8.self) } == value)
        #expect("\(found) \(String(reflecting: found))".contains(password) == password.isEmpty)
    }

    // MARK: Digest

    private let digest =
        "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

    private func authorization(_ proxy: UpstreamProxy) -> String {
        let value = proxy.authorization(method: .connect, target: Array("a:443".utf8)) ?? []
        return String(decoding: value, as: UTF8.self)
    }

    @Test func `after a Digest challenge, requests to an upstream proxy have Digest credentials`() {
        let proxy = proxy(ProxyPassword(user: "ann", password: "hunter2"))
        #expect(authorization(proxy).hasPrefix("Basic "))
        let challenge = head(407, [("Proxy-Authenticate", digest)])
        #expect(proxy.takesChallenge(challenge, after: Array("Basic x".utf8)))
        let first = authorization(proxy), second = authorization(proxy)
        #expect(first.hasPrefix("Digest ") && first.contains("nc=00000001"))
        #expect(second.contains("nc=00000002") && !first.contains("hunter2"))
    }

    @Test
    func `rejected Digest credentials are not sent upstream again, but stale ones are renewed`() {
        let proxy = proxy(ProxyPassword(user: "ann", password: "hunter2"))
        let challenge = head(407, [("Proxy-Authenticate", digest)])
        #expect(proxy.takesChallenge(challenge, after: nil))
        let sent = Array(authorization(proxy).utf8)
        let stale = head(
            407, [("Proxy-Authenticate", digest.replacing("n1", with: "n2") + ", stale=true")])
        #expect(proxy.takesChallenge(stale, after: sent))
        #expect(authorization(proxy).contains("nonce=\"n2\""))
        #expect(!proxy.takesChallenge(challenge, after: sent))
        #expect(authorization(proxy).hasPrefix("Basic "))
    }

    @Test
    func `a request is not retried if an upstream proxy offers no Digest or no password is set`() {
        let basic = head(407, [("Proxy-Authenticate", "Basic realm=r")])
        #expect(!proxy(ProxyPassword(user: "a", password: "b")).takesChallenge(basic, after: nil))
        let challenge = head(407, [("Proxy-Authenticate", digest)])
        #expect(!proxy().takesChallenge(challenge, after: nil))
        #expect(proxy().authorization(method: .get, target: [0x2F]) == nil)
    }
}
