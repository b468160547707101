import ClientLib
import ProxydHTTPModel
import Testing

/// Digest as RFC 7616 §3.9 shows it; other responses are computed by another program.
struct DigestTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let credential = Credential(user: "Mufasa", password: "Circle of Life")

    private let authentication = Authentication(makeClientNonce: { DigestTests.clientNonce })
    private let url = CookieTestURL.make("http://www.example.org/dir/index.html")

    private func challenge(_ parameters: String, realm: String = "http-auth@example.org")
        -> ResponseHead
    {
        ResponseHead(
            status: 401, reason: "",
            fields: HeaderFields([
                (
                    "WWW-Authenticate",
                    "Digest realm=\"\(realm)\", nonce=\"\(Self.nonce)\"\(parameters)"
                )
            ]))
    }

    private func answer(
        _ parameters: String, method: HTTPMethod = .get, body: [UInt8]? = []
    ) async -> String? {
        var attempts = AuthenticationAttempts()
        let value = await authentication.answer(
            to: challenge(parameters),
            for: AuthenticatedRequest(method: method, url: url, body: body),
            credential: Self.credential, attempts: &attempts)
        return value.map(ASCII.text)
    }

    @Test func `the Digest response for the SHA-256 example of RFC 7616 is correct`() async {
        #expect(
            await answer(", qop=\"auth, auth-int\", algorithm=SHA-256, opaque=\"FQhe/qaU\"")
                == "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", "
                + "nonce=\"\(Self.nonce)\", uri=\"/dir/index.html\", algorithm=SHA-256, qop=auth, "
                + "nc=00000001, cnonce=\"\(Self.clientNonce)\", "
                + "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\", "
                + "opaque=\"FQhe/qaU\"")
    }

    @Test(arguments: [
        (", qop=auth, algorithm=MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        (", qop=\"auth\"", "8ca523f5e9506fed4657c9700eebdbec"),
        (", qop=auth, algorithm=md5-SESS", "e783283f46242139c486a698fec7211d"),
        (
            ", qop=auth, algorithm=SHA-256-sess",
            "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"
        ),
        ("", "7b2cc3b30e75b4777ea31027084363fd"),
    ])
    func `Digest responses are correct for MD5 and the session algorithms, with and without qop`(
        parameters: String, response: String
    ) async throws {
        let value = try #require(await answer(parameters))
        #expect(value.contains("response=\"\(response)\""))
        #expect(value.contains("qop=") == !parameters.isEmpty)
    }

    @Test(arguments: [
        (", algorithm=MD5", "a1abf5c7fa9ae74478eb9ffa265bf546"),
        (", algorithm=MD5-sess", "219a5013deac8cc0196aa7ffce97179c"),
        (", algorithm=SHA-256", "329dcaaa9ce45c3ea5f919f438118f338057e9104aa58ecd51368264e88ced0c"),
        (
            ", algorithm=SHA-256-sess",
            "78c15350c379e32f66977f48267f8347871c3adfa202c543d7b0f0c9743ed5ab"
        ),
    ])
    func `Digest uses auth-int when no other qop is offered and the body is known`(
        algorithm: String, response: String
    ) async throws {
        let parameters = ", qop=auth-int\(algorithm)"
        let value = try #require(
            await answer(parameters, method: .post, body: Array("body".utf8)))
        #expect(value.contains("response=\"\(response)\""))
        #expect(value.contains("qop=auth-int"))
        #expect(await answer(parameters, method: .post, body: nil) == nil)
    }

    @Test
    func `a non-ASCII Digest user name is hashed if userhash is true, otherwise percent-encoded`()
        async throws
    {
        let nonce = "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK"
        let authentication = Authentication(makeClientNonce: { "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm" })
        func answer(hashed: Bool) async -> String? {
            var attempts = AuthenticationAttempts()
            let line =
                "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
                + "nonce=\"\(nonce)\", charset=UTF-8, userhash=\(hashed)"
            let value = await authentication.answer(
                to: ResponseHead(
                    status: 401, reason: "", fields: HeaderFields([("WWW-Authenticate", line)])),
                for: AuthenticatedRequest(
                    method: .get, url: CookieTestURL.make("http://api.example.org/doe.json"),
                    body: nil),
                credential: Credential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?"),
                attempts: &attempts)
            return value.map(ASCII.text)
        }
        let user = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        let response = "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c"
        let hashed = try #require(await answer(hashed: true))
        #expect(hashed.contains("username=\"\(user)\""))
        #expect(hashed.contains("response=\"\(response)\""))
        #expect(hashed.hasSuffix(", userhash=true"))
        let encoded = try #require(await answer(hashed: false))
        #expect(encoded.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"))
        #expect(encoded.contains("response=\"\(response)\""))
    }

    @Test func `quotes and backslashes in Digest parameters are escaped`() async throws {
        var attempts = AuthenticationAttempts()
        let value = await authentication.answer(
            to: challenge("", realm: "a\\\"b\\\\c"),
            for: AuthenticatedRequest(method: .get, url: url, body: nil),
            credential: Credential(user: "u\"\\", password: "p"), attempts: &attempts)
        let text = try #require(value.map(ASCII.text))
        #expect(text.contains("username=\"u\\\"\\\\\", realm=\"a\\\"b\\\\c\""))
    }

    @Test(arguments: [", algorithm=SHA-1", ", qop=other", ", qop=\"\""])
    func `a Digest challenge with an unknown algorithm or qop is not answered`(parameters: String)
        async
    {
        #expect(await answer(parameters) == nil)
    }

    @Test func `Digest reuses a nonce with a higher count until the server sends a nextnonce`()
        async throws
    {
        _ = await answer(", qop=auth, algorithm=SHA-256, domain=\"/dir http://other/\"")
        let request = AuthenticatedRequest(method: .get, url: url, body: nil)
        var attempts = AuthenticationAttempts()
        let second = try #require(authentication.authorization(for: request, attempts: &attempts))
        #expect(ASCII.text(second).contains("nc=00000002"))
        #expect(
            ASCII.text(second).contains(
                "8c8db27f49ff1c202f9fb49fa9d2e9eabf078dcc93db40dfd6527010091d1c8e"))
        let outside = AuthenticatedRequest(
            method: .get, url: CookieTestURL.make("http://www.example.org/"), body: nil)
        #expect(authentication.authorization(for: outside, attempts: &attempts) == nil)

        let info = HeaderFields([("Authentication-Info", "nextnonce=\"n2\", qop=auth")])
        authentication.note(ResponseHead(status: 200, reason: "", fields: info), from: request)
        let third = try #require(authentication.authorization(for: request, attempts: &attempts))
        #expect(ASCII.text(third).contains("nonce=\"n2\""))
        #expect(ASCII.text(third).contains("nc=00000001"))
    }

    @Test func `at most four Digest challenges with stale=true are answered per request`() async {
        var attempts = AuthenticationAttempts()
        let request = AuthenticatedRequest(method: .get, url: url, body: nil)
        var answerCount = 0
        for index in 0..<20 {
            let line = "Digest realm=r, nonce=\"\(index)\", qop=auth, stale=true"
            let head = ResponseHead(
                status: 401, reason: "", fields: HeaderFields([("WWW-Authenticate", line)]))
            let value = await authentication.answer(
                to: head, for: request, credential: Self.credential, attempts: &attempts)
            if value != nil { answerCount += 1 }
        }
        #expect(answerCount == 4)
    }
}
