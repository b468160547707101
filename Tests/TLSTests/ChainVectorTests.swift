import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// Certificate chains with a right verdict each: served live to our client where they can be, else
/// verified at the time that they name. docs/THREATS.md says what the differences mean.
@Suite(.enabled(if: ChainVectors.path != nil, "no ../shared/vectors beside the repository"))
struct ChainVectorTests {
    /// What a strict profile forbids issuers to do and OpenSSL, like all common clients, lets
    /// pass: the chain still ends at a trusted issuer and is for the right name.
    private static let lenient: Set = [
        "rfc5280::aki::leaf-missing-aki", "rfc5280::aki::intermediate-missing-aki",
        "rfc5280::aki::cross-signed-root-missing-aki",
        "rfc5280::nc::permitted-dns-match-noncritical",
        "rfc5280::nc::invalid-dnsname-leading-period",
        "rfc5280::nc::not-allowed-in-ee-noncritical",
        "rfc5280::nc::not-allowed-in-ee-critical", "rfc5280::nc::nc-permits-invalid-dns-san",
        "rfc5280::pc::ica-noncritical-pc",
        "rfc5280::san::noncritical-with-empty-subject", "rfc5280::san::underscore-dns",
        "rfc5280::serial::too-long", "rfc5280::serial::zero", "rfc5280::ski::root-missing-ski",
        "rfc5280::ski::intermediate-missing-ski", "rfc5280::ca-empty-subject",
        "rfc5280::root-missing-basic-constraints",
        "rfc5280::root-non-critical-basic-constraints", "rfc5280::leaf-ku-keycertsign",
    ]
    /// The same of those that name a time.
    private static let lenientAtItsTime: Set = [
        "rfc5280::serial::negative", "crl::crlnumber-missing",
    ]
    /// What is valid to the end of a second, OpenSSL takes to end with its beginning.
    private static let strictAtItsTime: Set = [
        "rfc5280::validity::notafter-exact", "rfc5280::validity::notafter-fractional",
    ]
    /// What OpenSSL refuses although it could be accepted.
    private static let strict: Set = [
        "pathlen::validation-ignores-pathlen-in-leaf",
        "rfc5280::nc::nc-forbids-alternate-chain-ica",
        "rfc5280::nc::nc-forbids-same-chain-ica", "rfc5280::ca-as-leaf",
    ]

    @Test
    func `all shared certificate chain vectors get the expected verdict, with listed exceptions`()
        throws
    {
        let cases = try ChainVectors.load().filter(\.isServed)
        #expect(cases.count > 80)
        let wrong = try wrongVerdicts(cases, verdict)
        #expect(wrong.accepted == Self.lenient)
        #expect(wrong.refused == Self.strict)
    }

    @Test
    func `chain vectors with a set time or CRLs get the expected verdict, with listed exceptions`()
        throws
    {
        let cases = try ChainVectors.load().filter { $0.isForUs && !$0.isServed }
        #expect(cases.count == 22)
        #expect(cases.allSatisfy { ($0.time == nil) == ($0.validation_time == nil) })
        let wrong = try wrongVerdicts(cases, verdictAtItsTime)
        #expect(wrong.accepted == Self.lenientAtItsTime)
        #expect(wrong.refused == Self.strictAtItsTime)
    }

    @Test func `a duplicate certificate extension is reported as the reason for the rejection`()
        throws
    {
        let vector = try #require(
            ChainVectors.load().first { $0.id == "rfc5280::duplicate-extensions" })
        let duet = try duet(vector)
        duet.shakeHands()
        #expect(
            duet.clientError?.message == "certificate not accepted: it has the extension"
                + " \"subject alternative name\" twice")
    }

    private func wrongVerdicts(
        _ cases: [ChainVectors.Vector], _ verdict: (ChainVectors.Vector) throws -> Bool
    ) throws -> (accepted: Set<String>, refused: Set<String>) {
        var (accepted, refused): (Set<String>, Set<String>) = ([], [])
        for vector in cases {
            switch (try verdict(vector), vector.isGood) {
            case (true, false): accepted.insert(vector.id)
            case (false, true): refused.insert(vector.id)
            case (true, true), (false, false): break
            }
        }
        return (accepted, refused)
    }

    private func verdictAtItsTime(_ vector: ChainVectors.Vector) throws -> Bool {
        let directory = try ScratchFolder()
        let roots = Array(vector.trusted_certs.joined().utf8)
        let store = try TrustStore(.files([directory.write("roots.pem", roots)]))
        var rules = TrustStore.Rules(name: vector.expected_peer_name?.value)
        rules.time = vector.time
        if !vector.crls.isEmpty {
            rules.revocationLists = try RevocationLists(vector.crls.map { Array($0.utf8) })
        }
        do throws(VerificationFailure) {
            _ = try store.verify(
                ([vector.peer_certificate] + vector.untrusted_intermediates).map(Self.der),
                rules: rules)
            return true
        } catch {
            #expect(!error.problem.message.isEmpty)
            return false
        }
    }

    private static func der(_ pem: String) -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined()).map { [UInt8]($0) } ?? []
    }

    /// Throws where a server of OpenSSL refuses to show the certificate: nothing to accept.
    private func duet(_ vector: ChainVectors.Vector) throws -> Duet {
        let directory = try ScratchFolder()
        let roots = Array(vector.trusted_certs.joined().utf8)
        let trust = try TLSClientContext(
            trust: .files([directory.write("roots.pem", roots)]))
        let name = try #require(vector.expected_peer_name?.value)
        let chain = ([vector.peer_certificate] + vector.untrusted_intermediates).joined()
        let server = try TLSServerContext(
            name: "vector", certificatesPEM: Array(chain.utf8),
            privateKeyPEM: Array((vector.peer_certificate_key ?? "").utf8))
        return Duet(
            client: try TLSSession(client: trust, policy: TLSPolicy(name: name), port: 443),
            server: try TLSSession(server: server, alpn: []))
    }

    private func verdict(_ vector: ChainVectors.Vector) throws -> Bool {
        guard let duet = try? duet(vector) else { return false }
        duet.shakeHands()
        if let error = duet.clientError, !vector.isGood, case .certificate = error.kind {
            #expect(!error.message.isEmpty)
        }
        return duet.isEstablished
    }
}
