import ClientLib
import ProxydClientTestSupport
import Synchronization
import Testing

/// Whose refusal makes an `AuthenticationInterceptor` send a request again.
struct CoreCredentialRetryTests {
    private struct Token: AuthenticationCredential {
        let text: String
        var requiresRefresh: Bool { false }
    }

    /// Hands out `token-1`, `token-2`, …
    private final class Tokens: CredentialAuthenticator {
        let refreshCount = Atomic<Int>(0)
        /// Whether tokens are recognised in the requests that carry them.
        let recognizes: Bool

        init(recognizes: Bool = true) { self.recognizes = recognizes }

        func apply(_ credential: Token, to request: inout HTTPRequest) {
            request.headers.update(name: "Authorization", value: "Bearer \(credential.text)")
        }

        func refresh(_ credential: Token, for session: Session) async throws -> Token {
            Token(text: "token-\(refreshCount.add(1, ordering: .relaxed).newValue)")
        }

        func didRequest(
            _ request: HTTPRequest, with response: ResponseHead,
            failDueToAuthenticationError: ClientError
        ) -> Bool { response.status == 401 }

        func isRequest(_ request: HTTPRequest, authenticatedWith credential: Token) -> Bool {
            recognizes && request.headers["Authorization"] == "Bearer \(credential.text)"
        }
    }

    /// The interceptor, and one behind it that gives a request up that is sent again forever.
    private static func session(_ tokens: Tokens) -> Session {
        let interceptor = AuthenticationInterceptor(
            authenticator: tokens, credential: Token(text: "old"))
        let guardian = Adapter { request, state in
            if state.retryCount > 5 { throw TooMany() }
            return request
        }
        return Session(interceptor: Interceptor(interceptors: [guardian, interceptor]))
    }

    private struct TooMany: Error {}

    @Test
    func `a 401 after a redirect to another origin without the token causes no refresh or retry`()
        async throws
    {
        let other = try ScriptedServer { _ in ScriptedServer.response(401, "who") }
        let home = try ScriptedServer { _ in
            ScriptedServer.response(302, "", headers: [("Location", other.url + "/x")])
        }
        let tokens = Tokens()
        let session = Self.session(tokens)
        defer { session.shutdown() }
        let response = await session.request(home.url).validate().serializingData().response
        #expect(
            response.error?.kind == .responseValidationFailed(.unacceptableStatusCode(code: 401)))
        #expect(home.received.count == 1)
        #expect(other.received.map { $0.header("Authorization") } == [nil])
        #expect(tokens.refreshCount.load(ordering: .relaxed) == 0)
    }

    @Test func `a 401 after a redirect within the same origin causes a token refresh and a retry`()
        async throws
    {
        let server = try ScriptedServer { request in
            if request.head.targetText == "/" {
                return ScriptedServer.response(302, "", headers: [("Location", "/in")])
            }
            let isGood = request.header("Authorization") == "Bearer token-1"
            return ScriptedServer.response(isGood ? 200 : 401, isGood ? "in" : "out")
        }
        let session = Self.session(Tokens())
        defer { session.shutdown() }
        #expect(try await session.request(server.url).validate().serializingString().value == "in")
        #expect(server.received.map { $0.head.targetText } == ["/", "/in", "/", "/in"])
    }

    @Test func `a request that is never recognized as authenticated is retried only once`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(401, "out") }
        let session = Self.session(Tokens(recognizes: false))
        defer { session.shutdown() }
        let response = await session.request(server.url).validate().serializingData().response
        #expect(
            response.error?.kind == .responseValidationFailed(.unacceptableStatusCode(code: 401)))
        #expect(server.received.count == 2)
    }
}
