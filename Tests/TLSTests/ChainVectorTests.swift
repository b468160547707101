import Foundation
import Testing

@testable import TLS

/// Certificate chains with a right verdict each, served live to our client.
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
        "rfc5280::nc::nc-forbids-dnsname-wildcard-san", "rfc5280::pc::ica-noncritical-pc",
        "rfc5280::san::noncritical-with-empty-subject", "rfc5280::san::underscore-dns",
        "rfc5280::serial::too-long", "rfc5280::serial::zero", "rfc5280::ski::root-missing-ski",
        "rfc5280::ski::intermediate-missing-ski", "rfc5280::ca-empty-subject",
        "rfc5280::root-missing-basic-constraints",
        "rfc5280::root-non-critical-basic-constraints", "rfc5280::leaf-ku-keycertsign",
    ]
    /// What OpenSSL refuses although it could be accepted.
    private static let strict: Set = [
        "pathlen::validation-ignores-pathlen-in-leaf",
        "rfc5280::nc::nc-forbids-alternate-chain-ica",
        "rfc5280::nc::nc-forbids-same-chain-ica", "rfc5280::ca-as-leaf",
    ]

    @Test func `every chain gets the verdict it deserves`() throws {
        let cases = try ChainVectors.load().filter(\.isForUs)
        #expect(cases.count > 80)
        var wronglyAccepted: Set<String> = []
        var wronglyRefused: Set<String> = []
        for vector in cases {
            switch (try verdict(vector), vector.isGood) {
            case (true, false): wronglyAccepted.insert(vector.id)
            case (false, true): wronglyRefused.insert(vector.id)
            case (true, true), (false, false): break
            }
        }
        #expect(wronglyAccepted == Self.lenient)
        #expect(wronglyRefused == Self.strict)
    }

    private func verdict(_ vector: ChainVectors.Vector) throws -> Bool {
        let directory = try TemporaryDirectory()
        let roots = Array(vector.trusted_certs.joined().utf8)
        let trust = try TLSClientContext(
            trust: .files([directory.write(roots, to: "roots.pem")]))
        let name = try #require(vector.expected_peer_name?.value)
        let chain = ([vector.peer_certificate] + vector.untrusted_intermediates).joined()
        let server = try TLSServerContext(
            name: "vector", certificatesPEM: Array(chain.utf8),
            privateKeyPEM: Array((vector.peer_certificate_key ?? "").utf8))
        // A server of OpenSSL refuses to show some of the weak certificates: nothing to accept.
        guard let session = try? TLSSession(server: server, alpn: []) else { return false }
        let duet = Duet(
            client: try TLSSession(client: trust, policy: TLSPolicy(name: name), port: 443),
            server: session)
        duet.shakeHands()
        if let error = duet.clientError, !vector.isGood, case .certificate = error.kind {
            #expect(!error.message.isEmpty)
        }
        return duet.isEstablished
    }
}
