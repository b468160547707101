import ProxydClientTestSupport
import Testing

@testable import ClientLib
@testable import ProxydTLS

/// Sessions against servers whose certificates are good or bad in one way each.
struct ServerTrustTests {
    enum Fault: String, CaseIterable {
        case expired, notYetValid, wrongHost, selfSigned, untrustedIssuer
    }

    private func server(_ fault: Fault, _ authority: TestAuthority) throws -> ScriptedServer {
        let leaf =
            switch fault {
            case .expired:
                try authority.leaf(validity: .init(from: 1_600_000_000, to: 1_704_110_400))
            case .notYetValid:
                try authority.leaf(validity: .init(from: 4_102_444_800, to: 4_202_444_800))
            case .wrongHost: try authority.leaf("elsewhere.example")
            case .selfSigned: try authority.leaf(isSelfSigned: true)
            case .untrustedIssuer: try TestAuthority().leaf()
            }
        return try .secure(authority.context(leaf))
    }

    private func response(
        _ server: ScriptedServer, _ configuration: SessionConfiguration
    ) async -> DataResponse<[UInt8]> {
        let session = Session(configuration: configuration)
        return await session.request(server.secureURL).serializingData().response
    }

    @Test func `a server certificate of a trusted CA is accepted`() async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        let response = await response(server, authority.configuration)
        #expect(try response.result.get() == Array("secret".utf8))
        #expect(response.exchanges.first?.timeline[.tlsEnd] != nil)
    }

    @Test(arguments: Fault.allCases)
    func `an invalid server certificate ends the TLS handshake before anything is sent`(
        fault: Fault
    ) async throws {
        let authority = try TestAuthority()
        let server = try server(fault, authority)
        let response = await response(server, authority.configuration)
        let error = try #require(response.error)
        #expect(error.kind == .network(.certificate))
        #expect(error.phase == .tls)
        #expect(error.fault == .server)
        #expect(server.received.isEmpty)
    }

    @Test(arguments: Fault.allCases)
    func `a trust evaluator's rejection reports the certificate and the reason`(fault: Fault)
        async throws
    {
        let authority = try TestAuthority()
        let server = try server(fault, authority)
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(
            evaluators: ["127.0.0.1": DefaultTrustEvaluator()])
        let response = await response(server, configuration)
        let error = try #require(response.error)
        #expect(error.kind == .serverTrustEvaluationFailed)
        #expect(error.phase == .tls)
        #expect(error.fault == .server)
        let refusal = try #require((error.underlying as? ServerTrustError)?.refusal)
        #expect(refusal.reason.rawValue == fault.rawValue)
        #expect(refusal.depth == 0)
        let name = fault == .wrongHost ? "elsewhere.example" : "127.0.0.1"
        #expect(refusal.certificate?.subject == "CN=\(name)")
        #expect(server.received.isEmpty)
    }

    @Test func `a connection that a trust evaluator accepted is reused`() async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(
            evaluators: ["127.0.0.1": DefaultTrustEvaluator()])
        let session = Session(configuration: configuration)
        for _ in 0..<2 {
            _ = try await session.request(server.secureURL).serializingData().value
        }
        #expect(server.connectionCount == 1)
    }

    @Test
    func `a host without a trust evaluator is rejected unless allHostsMustBeEvaluated is false`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(evaluators: [:])
        let error = try #require(await response(server, configuration).error)
        #expect(error.kind == .serverTrustEvaluationFailed)
        #expect(error.fault == .caller)
        guard case .noRequiredEvaluator("127.0.0.1") = error.underlying as? ServerTrustError else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(server.connectionCount == 0)
        configuration.serverTrustManager = ServerTrustManager(
            allHostsMustBeEvaluated: false, evaluators: [:])
        #expect(await response(server, configuration).error == nil)
    }

    @Test func `DisabledTrustEvaluator accepts a self-signed certificate`() async throws {
        let authority = try TestAuthority()
        let server = try server(.selfSigned, authority)
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(
            evaluators: ["*": DisabledTrustEvaluator()])
        #expect(await response(server, configuration).error == nil)
    }

    @Test func `CompositeTrustEvaluator rejects a server that one of its evaluators rejects`()
        async throws
    {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        struct No: Error {}
        let deny = CustomTrustEvaluator { trust, host in
            #expect(host == "127.0.0.1")
            #expect(trust.certificates.first?.isFor(host: host) == true)
            throw No()
        }
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(evaluators: [
            "127.0.0.1": CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), deny])
        ])
        let error = try #require(await response(server, configuration).error)
        guard case .customEvaluationFailed(let own)? = error.underlying as? ServerTrustError else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(own is No)
        #expect(server.received.isEmpty)
    }

    @Test func `if a file of trusted CAs cannot be read, the error names the file`() async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer.secure(authority.context(authority.leaf()))
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .system(adding: ["/nonexistent/roots.pem"])
        let error = try #require(await response(server, configuration).error)
        #expect(error.message.contains("/nonexistent/roots.pem"))
        #expect(error.fault == .library)
    }
}

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
