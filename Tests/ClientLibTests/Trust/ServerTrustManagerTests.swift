import ProxydClientTestSupport
import Testing

@testable import ClientLib

struct ServerTrustManagerTests {
    private struct Named: ServerTrustEvaluating {
        let name: String
        func evaluate(_ trust: ServerTrust, forHost host: String) {}
    }

    private func name(_ manager: ServerTrustManager, _ host: String) throws -> String? {
        (try manager.serverTrustEvaluator(forHost: host) as? Named)?.name
    }

    @Test func `the most specific host pattern selects the trust evaluator`() throws {
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: [
                "a.example": Named(name: "exact"), "*.a.example": Named(name: "below"),
                "*.deep.a.example": Named(name: "deep"), "[::1]": Named(name: "address"),
            ])
        #expect(try name(manager, "A.Example.") == "exact")
        #expect(try name(manager, "b.a.example") == "below")
        #expect(try name(manager, "c.b.a.example") == "below")
        #expect(try name(manager, "deep.a.example") == "below")
        #expect(try name(manager, "x.deep.a.example") == "deep")
        #expect(try name(manager, "::1") == "address")
        #expect(try name(manager, "other.example") == nil)
        #expect(try name(manager, "xa.example") == nil)
    }

    @Test func `a trust evaluator for all hosts is used only if no other entry matches`() throws {
        let manager = ServerTrustManager(evaluators: [
            "*": Named(name: "all"), "a.example": Named(name: "a"),
        ])
        #expect(try name(manager, "a.example") == "a")
        #expect(try name(manager, "b.example") == "all")
    }

    @Test func `a closure can select the trust evaluator by host and port`() async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        var configuration = SessionConfiguration()
        let port = server.port
        configuration.serverTrustManager = ServerTrustManager { host, asked in
            host == "127.0.0.1" && asked == port ? DisabledTrustEvaluator() : nil
        }
        let session = Session(configuration: configuration)
        #expect(try await session.request(server.secureURL).serializingString().value == "secret")
    }
}
