import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydHTTPModel
import Testing

struct AuthenticationTests {
    private let request = AuthenticatedRequest(
        method: .get, url: CookieTestURL.make("http://h/a/b"), body: nil)
    private let password = Credential(user: "user", password: "pass")

    private func head(_ lines: String..., status: Int = 401) -> ResponseHead {
        let name = status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
        return ResponseHead(
            status: status, reason: "", fields: HeaderFields(lines.map { (name, $0) }))
    }

    @Test func `Basic credentials are the Base64 of user name and password in UTF-8`() throws {
        #expect(
            AuthorizationHeader.basic(user: "Aladdin", password: "open sesame")
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(
            AuthorizationHeader.basic(user: "test", password: "123£") == "Basic dGVzdDoxMjPCow==")
        let field = try #require(authorizationHeader(user: "user", password: "pass:word"))
        #expect(field.name == "Authorization" && field.value == "Basic dXNlcjpwYXNzOndvcmQ=")
    }

    @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "\0"), ("a", "\u{7F}")])
    func `Basic credentials with a colon in the user name or any control character are rejected`(
        user: String, password: String
    ) {
        #expect(AuthorizationHeader.basic(user: user, password: password) == nil)
    }

    @Test
    func `the Bearer header has the token, and a token that is empty or has spaces is rejected`() {
        #expect(AuthorizationHeader.bearer(token: "t") == "Bearer t")
        #expect(AuthorizationHeader.bearer(token: "") == nil)
        #expect(AuthorizationHeader.bearer(token: "a b\r\n") == nil)
    }

    @Test func `the description of a credential contains no password or token`() {
        #expect(!"\(password) \(String(reflecting: password))".contains("pass)"))
        #expect(!"\(Credential.bearer(token: "secret"))".contains("secret"))
    }

    @Test
    func `a challenge is answered with the strongest offered scheme that the credential can use`()
        async throws
    {
        let all = head(
            "Basic realm=b, Digest realm=d, nonce=n, qop=auth, algorithm=MD5",
            "Bearer realm=t, Digest realm=d, nonce=n, qop=auth, algorithm=SHA-256", "Other x=y")
        func answer(_ credential: Credential) async -> String? {
            var attempts = AuthenticationAttempts()
            return await Authentication().answer(
                to: all, for: request, credential: credential, attempts: &attempts
            ).map(ASCII.text)
        }
        #expect(try #require(await answer(password)).contains("algorithm=SHA-256"))
        #expect(await answer(.bearer(token: "t")) == "Bearer t")
    }

    @Test func `a challenge is not answered when no credential is available`() async {
        var attempts = AuthenticationAttempts()
        let value = await Authentication().answer(
            to: head("Basic realm=x"), for: request, attempts: &attempts)
        #expect(value == nil)
    }

    @Test
    func `server credentials are sent only after a 401, and proxy credentials only to a proxy`()
        async
    {
        let authentication = Authentication()
        for other in [
            head("Basic realm=x", status: 407),
            ResponseHead(
                status: 403, reason: "",
                fields: HeaderFields([("WWW-Authenticate", "Basic realm=x")])),
        ] {
            var attempts = AuthenticationAttempts()
            let value = await authentication.answer(
                to: other, for: request, credential: password, attempts: &attempts)
            #expect(value == nil)
        }
        let proxy = AuthenticatedRequest(
            method: .connect, target: Array("h:443".utf8),
            proxy: CookieTestURL.make("http://proxy:3128/"), body: nil)
        var attempts = AuthenticationAttempts()
        let value = await authentication.answer(
            to: head("Basic realm=x", status: 407), for: proxy, credential: password,
            attempts: &attempts)
        #expect(value.map(ASCII.text) == "Basic dXNlcjpwYXNz")
        #expect(authentication.authorization(for: request, attempts: &attempts) == nil)
        var later = AuthenticationAttempts()
        #expect(authentication.authorization(for: proxy, attempts: &later) == value)
    }

    @Test func `a credential that was rejected is not sent again, not even by later requests`()
        async
    {
        let store = MemoryCredentialStore()
        let authentication = Authentication(credentials: store)
        var attempts = AuthenticationAttempts()
        func answer(_ head: ResponseHead) async -> [UInt8]? {
            await authentication.answer(
                to: head, for: request, credential: password, attempts: &attempts)
        }
        #expect(await answer(head("Basic realm=x")) != nil)
        #expect(await answer(head("Basic realm=x")) == nil)
        // The same bytes are not sent twice, whatever realm is named.
        #expect(await answer(head("Basic realm=y")) == nil)
        var later = AuthenticationAttempts()
        #expect(authentication.authorization(for: request, attempts: &later) == nil)
        let again = await authentication.answer(
            to: head("Basic realm=x"), for: request, attempts: &later)
        #expect(again == nil)
    }

    @Test func `credentials are looked up in the credential store by realm first, then by server`()
        async
    {
        let space = ProtectionSpace(request.url, realm: "x")
        let store = MemoryCredentialStore([
            space: password, ProtectionSpace(request.url): .bearer(token: "any"),
        ])
        #expect(store.credential(for: space) == password)
        #expect(
            store.credential(for: ProtectionSpace(request.url, realm: "y"))
                == .bearer(token: "any"))
        let other = ProtectionSpace(CookieTestURL.make("http://h:81/"), realm: "x")
        #expect(store.credential(for: other) == nil)
        var attempts = AuthenticationAttempts()
        let value = await Authentication(credentials: store).answer(
            to: head("Basic realm=x"), for: request, attempts: &attempts)
        #expect(value.map(ASCII.text) == "Basic dXNlcjpwYXNz")
    }

    @Test
    func `Basic credentials are sent preemptively only to URLs in the same directory or below it`()
        async
    {
        let authentication = Authentication()
        var attempts = AuthenticationAttempts()
        _ = await authentication.answer(
            to: head("Basic realm=x"), for: request, credential: password, attempts: &attempts)
        func unasked(_ text: String) -> Bool {
            var attempts = AuthenticationAttempts()
            let request = AuthenticatedRequest(
                method: .get, url: CookieTestURL.make(text), body: nil)
            return authentication.authorization(for: request, attempts: &attempts) != nil
        }
        #expect(unasked("http://h/a/") && unasked("http://H/a/b/c?d"))
        #expect(!unasked("http://h/a") && !unasked("http://h/") && !unasked("http://h:81/a/b"))
        #expect(!unasked("https://h/a/b") && !unasked("http://i/a/b"))
        authentication.reset()
        #expect(!unasked("http://h/a/b"))
    }

    @Test func `a credential without persistence is used for one request and not stored`() async {
        let authentication = Authentication()
        var attempts = AuthenticationAttempts()
        let value = await authentication.answer(
            to: head("Basic realm=x"), for: request, credential: password, persistence: .none,
            attempts: &attempts)
        #expect(value != nil)
        var later = AuthenticationAttempts()
        #expect(authentication.authorization(for: request, attempts: &later) == nil)
        let stored = await authentication.credentials.credential(
            for: ProtectionSpace(request.url, realm: "x"))
        #expect(stored == nil)
    }

    @Test
    func `a credential kept for the session is reused for challenges of its protection space`()
        async
    {
        let authentication = Authentication()
        var attempts = AuthenticationAttempts()
        _ = await authentication.answer(
            to: head("Basic realm=x"), for: request, credential: password, attempts: &attempts)
        let elsewhere = AuthenticatedRequest(
            method: .get, url: CookieTestURL.make("http://h/z"), body: nil)
        var later = AuthenticationAttempts()
        #expect(authentication.authorization(for: elsewhere, attempts: &later) == nil)
        let value = await authentication.answer(
            to: head("Basic realm=x"), for: elsewhere, attempts: &later)
        #expect(value.map(ASCII.text) == "Basic dXNlcjpwYXNz")
    }
}

/// What other libraries' header types do, as far as it is ours too.
@Suite(.enabled(if: HeaderVectors.file != nil, "no ../shared/vectors beside the repository"))
struct HeaderVectorTests {
    private struct Case {
        let parameters: Any?
        let encoding: String
        let expected: [String: Any]
        let isAdopted: Bool
    }

    private func cases() throws -> [Case] {
        let data = try Data(contentsOf: #require(HeaderVectors.file))
        let all = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return all.filter { $0["kind"] as? String == "header" }.map { item in
            Case(
                parameters: item["parameters"],
                encoding: (item["options"] as? [String: Any])?["encoding"] as? String ?? "",
                expected: item["expected"] as? [String: Any] ?? [:],
                isAdopted: item["adopt"] as? String == "yes")
        }
    }

    @Test func `Bearer Authorization headers have the values that the test vectors expect`() throws
    {
        let cases = try cases().filter { $0.encoding.contains("bearerToken") }
        #expect(!cases.isEmpty)
        for item in cases {
            let token = try #require(item.parameters as? String)
            #expect(AuthorizationHeader.bearer(token: token) == item.expected["value"] as? String)
        }
    }

    /// Names that differ in case only are kept apart as lines: a capture must not lose any.
    @Test func `header fields keep their order, and duplicates are not merged`() throws {
        let cases = try cases().filter { $0.encoding == "HTTPHeaders" }
        #expect(!cases.isEmpty)
        for item in cases {
            let pairs = try #require(item.parameters as? [[String]])
            let fields = HeaderFields(pairs.map { ($0[0], $0[1]) })
            #expect(fields.pairs.map(\.name) == pairs.map { $0[0] })
            if let order = item.expected["order"] as? [String] {
                #expect(item.isAdopted && fields.pairs.map(\.name) == order)
            }
            if let count = item.expected["count"] as? Int {
                #expect(!item.isAdopted && fields.count > count)
            }
        }
    }
}
