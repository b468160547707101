import Testing

@testable import ProxydTLS

@Suite struct ResumptionTests {
    /// A handshake after which both sides have read the other's tickets.
    private func established(_ duet: Duet) -> Duet {
        duet.shakeHands()
        duet.shuttle()
        return duet
    }

    @Test(arguments: TLSVersion.allCases)
    func `a second connection to a server resumes the TLS session of the first`(version: TLSVersion)
        throws
    {
        let authority = try TestAuthority(highestVersion: version)
        let first = established(try authority.duet("a.example"))
        #expect(first.client.facts?.isResumed == false)
        let second = established(try authority.duet("a.example"))
        #expect(second.client.facts?.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
        #expect(second.client.facts?.isResumed == true)
        #expect(second.server.facts?.isResumed == true)
        #expect(second.server.facts?.serverName == "a.example")
        #expect(second.client.facts?.peerCertificates == first.client.facts?.peerCertificates)
        #expect(second.client.facts?.alpn == "http/1.1")
    }

    @Test func `a TLS session is not resumed for another port or another verification policy`()
        throws
    {
        let authority = try TestAuthority()
        _ = established(try authority.duet("a.example"))
        let otherPort = established(try authority.duet("a.example", port: 8443))
        #expect(otherPort.client.facts?.isResumed == false)
        let careless = TLSPolicy(name: "a.example", verification: .disabled)
        let otherPolicy = established(try authority.duet("a.example", wanted: careless))
        #expect(otherPolicy.client.facts?.isResumed == false)
    }

    @Test func `a TLS session made without verification is not resumed with verification`() throws {
        let issuer = try TestIssuer()
        let server = try issuer.server("a.example", isSelfSigned: true)
        let careless = TLSPolicy(name: "a.example", verification: .disabled)
        for expectation in [false, true] {
            let duet = established(try issuer.duet(server, wanting: careless))
            #expect(duet.client.facts?.isResumed == expectation)
            #expect(duet.client.facts?.toleratedProblem?.kind == .selfSigned)
        }
        let careful = established(try issuer.duet(server, wanting: .init(name: "a.example")))
        #expect(careful.clientError?.message == "self-signed certificate")
    }

    @Test(arguments: TLSVersion.allCases)
    func `a TLS session ticket for one server name is not accepted for another`(version: TLSVersion)
        throws
    {
        let authority = try TestAuthority(highestVersion: version)
        // The client believes both to be one server, so it offers the ticket.
        let policy = TLSPolicy(
            serverName: nil, verifyName: "a.example", verification: .disabled)
        _ = established(try authority.duet("a.example", wanted: policy))
        let other = established(try authority.duet("b.example", wanted: policy))
        #expect(other.isEstablished)
        #expect(other.client.facts?.isResumed == false)
        #expect(other.client.facts?.toleratedProblem?.kind == .nameMismatch)
    }

    @Test func `a TLS 1.3 session ticket is used only once`() throws {
        let authority = try TestAuthority()
        _ = established(try authority.duet("a.example"))
        let key = ResumptionKey(policy: TLSPolicy(name: "a.example"), port: 443)
        var count = 0
        while authority.trusting.resumption.take(key) != nil { count += 1 }
        #expect(count == 2, "OpenSSL gives out two tickets")
    }

    @Test func `a TLS session older than an hour is not resumed`() throws {
        let authority = try TestAuthority()
        _ = established(try authority.duet("a.example"))
        let key = ResumptionKey(policy: TLSPolicy(name: "a.example"), port: 443)
        let entry = try #require(authority.trusting.resumption.take(key))
        let later = SessionResumption(clock: { CertificateClock.now() + 3_700 })
        later.put(entry, for: key)
        #expect(later.take(key) == nil)
    }
}
