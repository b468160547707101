import Testing

@testable import ProxydTLS

@Suite struct ClientRefusalTests {
    @Test(arguments: TLSVersion.allCases)
    func `a client that rejects the proxy's CA is reported as not trusting it`(
        version: TLSVersion
    ) throws {
        let authority = try TestAuthority()
        let stranger = try TestIssuer(highestVersion: version)
        let duet = try authority.duet("a.example", trust: stranger.trusting)
        duet.shakeHands()
        let error = try #require(duet.serverError)
        #expect(error.kind == .alertReceived(TLSAlert(code: 48)))
        #expect(error.isCertificateRefusedByPeer)
        #expect(
            error.message
                == "the client does not trust the proxy's certificate authority (alert unknown_ca)")
    }

    @Test(arguments: [42, 46, 48] as [UInt8])
    func `bad_certificate, certificate_unknown and unknown_ca alerts count as an untrusted CA`(
        code: UInt8
    ) throws {
        let error = try alerted(code)
        #expect(error.isCertificateRefusedByPeer)
        #expect(
            error.message.hasPrefix("the client does not trust the proxy's certificate authority"))
    }

    @Test
    func `a certificate_expired alert is reported as a refused certificate, not untrusted CA`()
        throws
    {
        let error = try alerted(45)
        #expect(
            error.message
                == "the client refused the proxy's certificate (alert certificate_expired)")
    }

    @Test func `an unknown TLS alert is reported with its number`() throws {
        #expect(try alerted(200).message == "the client ended the TLS session (alert 200)")
    }

    /// A client that answers the server's flight with a plain alert, as many do.
    private func alerted(_ code: UInt8) throws -> TLSError {
        let authority = try TestAuthority(highestVersion: .tls12)
        let duet = try authority.duet("a.example")
        try duet.client.startHandshake()
        try duet.server.receive(duet.client.takeOutput().span) { _ in }
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, code]
        return try #require(
            #expect(throws: TLSError.self) { try duet.server.receive(alert.span) { _ in } })
    }
}
