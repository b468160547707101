import ProxydClientTestSupport
import ProxydTestSupport
import Synchronization
import Testing

@testable import ClientLib

/// A token that is refreshed once for all that need it.
struct AuthenticationInterceptorTests {
    struct Token: AuthenticationCredential {
        var text: String
        var requiresRefresh = false
    }

    /// Hands out `token-1`, `token-2`, …, once its gate is open.
    final class Tokens: CredentialAuthenticator {
        let refreshCount = Atomic<Int>(0)
        let gate = Gate()
        let error: (any Error)?

        init(isOpen: Bool = true, error: (any Error)? = nil) {
            self.error = error
            if isOpen { gate.open() }
        }

        func apply(_ credential: Token, to request: inout HTTPRequest) {
            request.headers.update(name: "Authorization", value: "Bearer \(credential.text)")
        }

        func refresh(_ credential: Token, for session: Session) async throws -> Token {
            await gate.wait()
            if let error { throw error }
            return Token(text: "token-\(refreshCount.add(1, ordering: .relaxed).newValue)")
        }

        func didRequest(
            _ request: HTTPRequest, with response: ResponseHead,
            failDueToAuthenticationError: ClientError
        ) -> Bool { response.status == 401 }

        func isRequest(_ request: HTTPRequest, authenticatedWith credential: Token) -> Bool {
            request.headers["Authorization"] == "Bearer \(credential.text)"
        }
    }

    private func server(accepting token: String) throws -> ScriptedServer {
        try ScriptedServer { request in
            let isGood = request.header("Authorization") == "Bearer \(token)"
            return ScriptedServer.response(isGood ? 200 : 401, isGood ? "in" : "out")
        }
    }

    @Test func `concurrent requests whose token was rejected share one token refresh`() async throws
    {
        let server = try server(accepting: "token-1")
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(
            authenticator: tokens, credential: Token(text: "old"))
        let session = Session(interceptor: interceptor)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await session.request(server.url).validate().serializingString().value
                }
            }
            for try await text in group { #expect(text == "in") }
        }
        #expect(tokens.refreshCount.load(ordering: .relaxed) == 1)
        #expect(await interceptor.currentCredential?.text == "token-1")
    }

    @Test func `a token that requires a refresh is refreshed before the request is sent`()
        async throws
    {
        let server = try server(accepting: "token-1")
        let interceptor = AuthenticationInterceptor(
            authenticator: Tokens(), credential: Token(text: "old", requiresRefresh: true))
        let text = try await Session.default.request(server.url, interceptor: interceptor)
            .validate().serializingString().value
        #expect(text == "in")
        #expect(server.received.count == 1)
    }

    @Test
    func `AuthenticationInterceptor without a credential fails the request before it is sent`()
        async throws
    {
        let server = try server(accepting: "any")
        let interceptor = AuthenticationInterceptor(authenticator: Tokens())
        let error = await Session.default.request(server.url, interceptor: interceptor)
            .serializingData().response.error
        #expect(error?.underlying as? AuthenticationError == .missingCredential)
        #expect(server.received.isEmpty)
    }

    @Test func `a request fails with excessiveRefresh if the server rejects every new token`()
        async throws
    {
        let server = try server(accepting: "none of them")
        let interceptor = AuthenticationInterceptor(
            authenticator: Tokens(), credential: Token(text: "old"),
            refreshWindow: .init(interval: .seconds(3_600), maximumAttempts: 3))
        let error = await Session.default.request(server.url, interceptor: interceptor)
            .validate().serializingData().response.error
        #expect(error?.underlying as? AuthenticationError == .excessiveRefresh)
        #expect(server.received.count == 4)
    }

    @Test func `an error while refreshing the token fails the request`() async throws {
        struct NoToken: Error {}
        let server = try server(accepting: "any")
        let interceptor = AuthenticationInterceptor(
            authenticator: Tokens(error: NoToken()), credential: Token(text: "old"))
        let error = await Session.default.request(server.url, interceptor: interceptor)
            .validate().serializingData().response.error
        #expect(error?.underlying is NoToken)
        #expect(server.received.count == 1)
    }

    @Test func `requests that start while the token is being refreshed wait for the new one`()
        async throws
    {
        let server = try server(accepting: "token-1")
        let tokens = Tokens(isOpen: false)
        let interceptor = AuthenticationInterceptor(
            authenticator: tokens, credential: Token(text: "old", requiresRefresh: true))
        let session = Session(interceptor: interceptor)
        let waiting = (0..<6).map { _ in
            session.request(server.url).validate().serializingString()
        }
        #expect(server.received.isEmpty)
        tokens.gate.open()
        for task in waiting { #expect(try await task.value == "in") }
        #expect(tokens.refreshCount.load(ordering: .relaxed) == 1)
        #expect(server.received.count == 6)
    }

    @Test func `only token refreshes within the refresh window count towards the limit`()
        async throws
    {
        let server = try server(accepting: "none of them")
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let interceptor = AuthenticationInterceptor(
            authenticator: Tokens(), credential: Token(text: "old"),
            refreshWindow: .init(interval: .seconds(30), maximumAttempts: 2),
            now: { start + passed.withLock { $0 } })
        let session = Session(interceptor: interceptor)
        for (seconds, count) in [(0, 3), (29, 4), (30, 7)] {
            passed.withLock { $0 = .seconds(seconds) }
            let error = await session.request(server.url).validate().serializingData()
                .response.error
            #expect(error?.underlying as? AuthenticationError == .excessiveRefresh)
            #expect(server.received.count == count)
        }
    }
}
