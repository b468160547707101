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

    @Test func `a good certificate is accepted`() throws {
        let issuer = try TestIssuer()
        let duet = try issuer.duet(issuer.server("a.example"), wanting: .init(name: "A.Example."))
        duet.shakeHands()
        #expect(duet.isEstablished)
    }

    @Test func `an expired certificate is told by its date`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server(
            "a.example", validity: .init(from: 1_600_000_000, to: 1_704_110_400))
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .expired)
        #expect(problem.message == "certificate expired on 2024-01-01")
    }

    @Test func `a certificate of the future is told by its date`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server(
            "a.example", validity: .init(from: 4_102_444_800, to: 4_202_444_800))
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .notYetValid)
        #expect(problem.message == "certificate is not valid before 2100-01-01")
    }

    @Test func `another name is told with both names`() throws {
        let issuer = try TestIssuer()
        let problem = try problem(
            issuer.duet(issuer.server("a.example"), wanting: .init(name: "b.example")))
        #expect(problem.kind == .nameMismatch)
        #expect(problem.message == "certificate is for a.example, not b.example")
    }

    @Test func `another address is told with both addresses`() throws {
        let issuer = try TestIssuer()
        let problem = try problem(
            issuer.duet(issuer.server("192.0.2.1"), wanting: .init(name: "192.0.2.2")))
        #expect(problem.kind == .nameMismatch)
        #expect(problem.message == "certificate is for 192.0.2.1, not 192.0.2.2")
    }

    @Test func `a common name alone is no host name`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", alternativeName: "")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.message == "certificate is for no host name, not a.example")
    }

    @Test func `a wildcard matches one whole label`() throws {
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

    @Test func `a self-signed certificate is called so`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .selfSigned)
        #expect(problem.message == "self-signed certificate")
    }

    @Test func `an unknown issuer is named`() throws {
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

    @Test func `a certificate that is not for servers is refused`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", extendedKeyUsage: "clientAuth")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(problem.kind == .invalid)
        #expect(problem.message.hasPrefix("certificate not accepted: "))
    }

    @Test func `the chain is reported although it was refused`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example")
        let duet = try issuer.duet(server, wanting: .init(name: "b.example"))
        _ = try problem(duet)
        #expect(duet.client.peerCertificates == [server.certificateDER])
        #expect(duet.client.facts == nil)
    }

    @Test func `with verification disabled the session goes on and the problem is told`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let duet = try issuer.duet(
            server, wanting: .init(name: "b.example", verification: .disabled))
        duet.shakeHands()
        #expect(duet.isEstablished)
        #expect(duet.client.facts?.toleratedProblem?.kind == .selfSigned)
        #expect(duet.client.facts?.peerCertificates == [server.certificateDER])
    }

    @Test func `hostile names in a certificate are shown as printable ASCII`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("x", alternativeName: "a\u{1B}]0;b\u{7}.example")
        let problem = try problem(issuer.duet(server, wanting: .init(name: "b.example")))
        #expect(problem.message == "certificate is for a?]0;b?.example, not b.example")
    }

    @Test func `a name to verify is required`() throws {
        let issuer = try TestIssuer()
        #expect(throws: TLSError.self) {
            try TLSSession(client: issuer.trusting, policy: TLSPolicy(name: ""), port: 443)
        }
    }

    @Test func `the system's trust store opens and does not trust a stranger`() throws {
        let issuer = try TestIssuer()
        let duet = try issuer.duet(
            issuer.server("a.example"), wanting: .init(name: "a.example"),
            trust: TLSClientContext())
        #expect(try problem(duet).kind == .unknownIssuer)
    }

    @Test func `a file of trust that cannot be read is an error that names it`() throws {
        let error = #expect(throws: TLSError.self) {
            try TLSClientContext(trust: .files(["/nonexistent/roots.pem"]))
        }
        #expect(error?.message.contains("/nonexistent/roots.pem") == true)
    }
}
