import Testing

@testable import ProxydTLS

@Suite struct VerificationTests {
    private func problem(_ duet: Duet) throws -> CertificateProblem {
        duet.shakeHands()
        let error = try #require(duet.clientError)
        guard case .certificate(let problem) = error.kind else {
            Issue.record("not a certificate problem: \(error)")
            throw error
        }
        #expect(error.message == problem.message)
        #expect(duet.serverError != nil, "the server is told by an alert")
        return problem
    }

    @Test func `a valid server certificate is accepted`() throws {
        let issuer = try TestIssuer()
        let duet = try issuer.duet(issuer.server("a.example"), wanting: .init(name: "A.Example."))
        duet.shakeHands()
        #expect(duet.isEstablished)
    }

    @Test func `the error for an expired certificate gives the expiry date`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server(
            "a.example", validity: .init(from: 1_600_000_000, to: 1_704_110_400))
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .expired)
        #expect(problem.message == "certificate expired on 2024-01-01")
    }

    @Test func `the error for a certificate that is not yet valid gives its start date`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server(
            "a.example", validity: .init(from: 4_102_444_800, to: 4_202_444_800))
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .notYetValid)
        #expect(problem.message == "certificate is not valid before 2100-01-01")
    }

    @Test func `the error for a certificate of another host gives both names`() throws {
        let issuer = try TestIssuer()
        let problem = try problem(
            issuer.duet(issuer.server("a.example"), wanting: .init(name: "b.example")))
        #expect(problem.kind == .nameMismatch)
        #expect(problem.message == "certificate is for a.example, not b.example")
    }

    @Test func `the error for a certificate of another IP address gives both addresses`() throws {
        let issuer = try TestIssuer()
        let problem = try problem(
            issuer.duet(issuer.server("192.0.2.1"), wanting: .init(name: "192.0.2.2")))
        #expect(problem.kind == .nameMismatch)
        #expect(problem.message == "certificate is for 192.0.2.1, not 192.0.2.2")
    }

    @Test func `a certificate with the host only in its common name is rejected`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", alternativeName: "")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.message == "certificate is for no host name, not a.example")
    }

    @Test func `a wildcard in a certificate matches exactly one whole label`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("x", alternativeName: "*.a.example")
        let good = try issuer.duet(server, wanting: .init(name: "w.a.example"))
        good.shakeHands()
        #expect(good.isEstablished)
        let deep = try issuer.duet(server, wanting: .init(name: "v.w.a.example"))
        #expect(try problem(deep).kind == .nameMismatch)
        let partial = try issuer.server("x", alternativeName: "w*.a.example")
        let duet = try issuer.duet(partial, wanting: .init(name: "www.a.example"))
        #expect(try problem(duet).kind == .nameMismatch)
    }

    @Test func `a self-signed certificate is reported as self-signed`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .selfSigned)
        #expect(problem.message == "self-signed certificate")
    }

    @Test func `the error for an untrusted issuer names the issuer`() throws {
        let issuer = try TestIssuer()
        let stranger = try TestIssuer()
        let duet = try issuer.duet(
            issuer.server("a.example"), wanting: .init(name: "a.example"),
            trust: stranger.trusting)
        let problem = try problem(duet)
        #expect(problem.kind == .unknownIssuer)
        #expect(problem.message == "issuer not trusted: \(issuer.certificate.subject)")
        #expect(problem.message.hasPrefix("issuer not trusted: CN=proxyd CA "))
    }

    @Test func `a server certificate whose key usage is for clients only is rejected`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", extendedKeyUsage: "clientAuth")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .invalid)
        #expect(problem.message.hasPrefix("certificate not accepted: "))
    }

    @Test func `the certificate chain of the server is available even if it was rejected`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example")
        let duet = try issuer.duet(server, wanting: .init(name: "b.example"))
        _ = try problem(duet)
        #expect(duet.client.peerCertificates == [server.certificateDER])
        #expect(duet.client.facts == nil)
    }

    @Test
    func `with verification disabled, a bad certificate is accepted and its problem is recorded`()
        throws
    {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let duet = try issuer.duet(
            server, wanting: .init(name: "b.example", verification: .disabled))
        duet.shakeHands()
        #expect(duet.isEstablished)
        #expect(duet.client.facts?.toleratedProblem?.kind == .selfSigned)
        #expect(duet.client.facts?.peerCertificates == [server.certificateDER])
    }

    @Test func `control characters in certificate names are shown as question marks`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("x", alternativeName: "a\u{1B}]0;b\u{7}.example")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "b.example")))
        #expect(problem.message == "certificate is for a?]0;b?.example, not b.example")
    }

    @Test func `a TLS client session requires a server name for verification`() throws {
        let issuer = try TestIssuer()
        #expect(throws: TLSError.self) {
            try TLSSession(client: issuer.trusting, policy: TLSPolicy(name: ""), port: 443)
        }
    }

    @Test func `the system's trust store does not trust an unknown CA`() throws {
        let issuer = try TestIssuer()
        let duet = try issuer.duet(
            issuer.server("a.example"), wanting: .init(name: "a.example"),
            trust: TLSClientContext())
        #expect(try problem(duet).kind == .unknownIssuer)
    }

    @Test func `the error for a CA file that cannot be read names the file`() throws {
        let error = #expect(throws: TLSError.self) {
            try TLSClientContext(trust: .files(["/nonexistent/roots.pem"]))
        }
        #expect(error?.message.contains("/nonexistent/roots.pem") == true)
    }
}
