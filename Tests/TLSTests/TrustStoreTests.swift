import Foundation
import ProxydTestSupport
import Synchronization
import Testing

@testable import ProxydTLS

/// Chains judged apart from sessions, and in sessions by someone else than the trust store.
@Suite struct TrustStoreTests {
    private func leaf(
        _ issuer: TestIssuer, _ name: String = "a.example",
        usage: StaticString = "serverAuth", validity: CertificateBuilder.Validity? = nil
    ) throws -> Certificate {
        let builder = try CertificateBuilder(
            key: try PrivateKey.generate(), validity: validity ?? TestIssuer.validity(-1, 1))
        try builder.addSubject("CN", name)
        try builder.setIssuer(issuer.certificate)
        try builder.addExtension(.extendedKeyUsage, usage)
        try builder.addAlternativeName(PeerName(name))
        return try builder.sign(with: issuer.key)
    }

    private func failure(
        _ store: TrustStore, _ chain: [[UInt8]], name: String? = "a.example"
    ) -> VerificationFailure? {
        do throws(VerificationFailure) {
            _ = try store.verify(chain, rules: .init(name: name))
            return nil
        } catch {
            return error
        }
    }

    @Test func `verification returns the chain from the server certificate to the trusted CA`()
        throws
    {
        let issuer = try TestIssuer()
        let stranger = try TestIssuer()
        let leaf = try leaf(issuer)
        let store = try TrustStore(certificates: [issuer.certificate.der])
        let chain = try store.verify(
            [leaf.der, stranger.certificate.der], rules: .init(name: "a.example"))
        #expect(chain == [leaf.der, issuer.certificate.der])
    }

    @Test
    func `chain verification rejects expired certificates and wrong names, usages and issuers`()
        throws
    {
        let issuer = try TestIssuer()
        let store = try TrustStore(certificates: [issuer.certificate.der])
        let good = try leaf(issuer)
        let name = try #require(failure(store, [good.der], name: "b.example"))
        #expect(name.problem.kind == .nameMismatch)
        let old = try leaf(issuer, validity: .init(from: 1_600_000_000, to: 1_704_110_400))
        let expired = try #require(failure(store, [old.der]))
        #expect(expired.problem.kind == .expired)
        #expect(expired.certificate?.der == old.der)
        #expect(expired.depth == 0)
        let client = try leaf(issuer, usage: "clientAuth")
        #expect(failure(store, [client.der])?.problem.kind == .invalid)
        let foreign = try leaf(TestIssuer())
        #expect(failure(store, [foreign.der])?.problem.kind == .unknownIssuer)
        #expect(failure(store, [foreign.der], name: nil)?.problem.kind == .unknownIssuer)
        #expect(failure(store, [good.der], name: nil) == nil)
    }

    @Test func `empty or malformed certificate chains are rejected`() throws {
        let issuer = try TestIssuer()
        let store = try TrustStore(certificates: [issuer.certificate.der])
        let leaf = try leaf(issuer).der
        for chain in [[], [[]], [[0x30]], [Array(leaf.dropLast())], [leaf, [1, 2, 3]]] {
            #expect(failure(store, chain)?.problem.kind == .invalid)
        }
        #expect(failure(store, [leaf], name: "")?.problem.kind == .invalid)
        #expect(throws: TLSError.self) { try TrustStore(certificates: [[0x30]]) }
        #expect(throws: TLSError.self) { try RevocationLists([[0x30]]) }
        #expect(throws: TLSError.self) { try ClientIdentity(pkcs12: [0x30, 0x80]) }
    }

    /// Says yes or no, and remembers what it was asked.
    private final class Judge: ServerVerifying {
        let problem: CertificateProblem?
        let asked = Mutex<[PresentedChain]>([])

        init(_ problem: CertificateProblem?) { self.problem = problem }

        func problem(with chain: PresentedChain) -> CertificateProblem? {
            asked.withLock { $0.append(chain) }
            return problem
        }
    }

    @Test func `a custom verifier can accept a bad certificate chain and reject a good one`() throws
    {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let policy = TLSPolicy(name: "b.example")
        let yes = Judge(nil)
        let accepted = try issuer.duet(
            server, wanting: policy, trust: TLSClientContext(store: nil, verifier: yes))
        accepted.shakeHands()
        #expect(accepted.isEstablished)
        let asked = try #require(yes.asked.withLock { $0.first })
        #expect(asked.name == "b.example")
        #expect(asked.certificates == [server.certificateDER])

        let problem = CertificateProblem(kind: .invalid, code: 28, message: "not this one")
        let no = Judge(problem)
        let refused = try issuer.duet(
            issuer.server("b.example"), wanting: policy,
            trust: TLSClientContext(
                store: TrustStore(certificates: [issuer.certificate.der]), verifier: no))
        refused.shakeHands()
        #expect(refused.clientError?.kind == .certificate(problem))
        #expect(refused.serverError != nil, "the server is told by an alert")
    }
}

/// The environment belongs to the whole process, so each test gets a process of its own.
@Suite struct TrustSourceTests {
    @Test func `CAs in the file named by SSL_CERT_FILE are trusted`() async {
        await #expect(processExitsWith: .success) {
            let issuer = try TestIssuer()
            setenv("SSL_CERT_FILE", issuer.directory.path + "/root.pem", 1)
            let duet = try issuer.duet(
                issuer.server("a.example"), wanting: .init(name: "a.example"),
                trust: TLSClientContext())
            duet.shakeHands()
            try #require(duet.isEstablished)
        }
    }

    @Test func `the error for an SSL_CERT_FILE that cannot be read names the file`() async {
        await #expect(processExitsWith: .success) {
            setenv("SSL_CERT_FILE", "/nonexistent/roots.pem", 1)
            let error = try #require(
                #expect(throws: TLSError.self) { try TLSClientContext() })
            try #require(error.message.contains("SSL_CERT_FILE names /nonexistent/roots.pem"))
        }
    }

    @Test func `CAs in an additional CA file named in the configuration are trusted`() throws {
        let issuer = try TestIssuer()
        let trust = try TLSClientContext(
            trust: .system(extraFiles: [issuer.directory.path + "/root.pem"]))
        let duet = try issuer.duet(
            issuer.server("a.example"), wanting: .init(name: "a.example"), trust: trust)
        duet.shakeHands()
        #expect(duet.isEstablished)
    }
}
