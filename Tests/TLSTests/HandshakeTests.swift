import Testing

@testable import ProxydTLS

@Suite struct HandshakeTests {
    @Test func `a TLS handshake negotiates TLS 1.3, the server name and the ALPN protocol`() throws
    {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        #expect(duet.isEstablished)
        let client = try #require(duet.client.facts)
        let server = try #require(duet.server.facts)
        #expect(client.version == "TLSv1.3")
        #expect(client.cipher.hasPrefix("TLS_"))
        #expect(client.alpn == "http/1.1")
        #expect(server.alpn == "http/1.1")
        #expect(server.serverName == "a.example")
        #expect(client.serverName == "a.example")
        #expect(client.toleratedProblem == nil)
        #expect(!client.isResumed)
    }

    @Test(arguments: [1, 2, 7, 100, 1_000])
    func `a TLS handshake and the data after it can be received in small pieces`(byteCount: Int)
        throws
    {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands(pieceByteCount: byteCount)
        try duet.client.write(Array("GET / HTTP/1.1".utf8).span)
        try duet.server.write(Array("HTTP/1.1 200 OK".utf8).span)
        duet.shuttle(pieceByteCount: byteCount)
        #expect(duet.serverPlaintext == Array("GET / HTTP/1.1".utf8))
        #expect(duet.clientPlaintext == Array("HTTP/1.1 200 OK".utf8))
    }

    @Test func `a TLS handshake limited to version 1.2 succeeds`() throws {
        let authority = try TestAuthority(highestVersion: .tls12)
        let duet = try authority.duet("a.example")
        duet.shakeHands(pieceByteCount: 1)
        #expect(duet.client.facts?.version == "TLSv1.2")
        #expect(duet.server.facts?.serverName == "a.example")
        #expect(duet.server.facts?.cipher == "ECDHE-ECDSA-AES256-GCM-SHA384")
    }

    @Test func `data written before the TLS handshake is sent after it`() throws {
        let duet = try TestAuthority().duet("a.example")
        try duet.client.write(Array("early".utf8).span)
        try duet.server.write(Array("bird".utf8).span)
        duet.shakeHands()
        #expect(duet.serverPlaintext == Array("early".utf8))
        #expect(duet.clientPlaintext == Array("bird".utf8))
    }

    @Test func `a megabyte sent over TLS arrives complete in both directions`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }
        try duet.client.write(bytes.span)
        try duet.server.write(bytes.span)
        duet.shuttle(pieceByteCount: 65_536)
        #expect(duet.serverPlaintext == bytes)
        #expect(duet.clientPlaintext == bytes)
    }

    @Test func `no ALPN protocol is negotiated if only one side uses ALPN`() throws {
        let authority = try TestAuthority()
        let silent = try authority.duet(
            "a.example", wanted: TLSPolicy(name: "a.example", alpn: []))
        silent.shakeHands()
        #expect(silent.isEstablished)
        #expect(silent.client.facts?.alpn == nil)
        let ignorant = try authority.duet("a.example", serverALPN: [])
        ignorant.shakeHands()
        #expect(ignorant.isEstablished)
        #expect(ignorant.server.facts?.alpn == nil)
    }

    @Test func `the server's order decides which ALPN protocol is negotiated`() throws {
        let policy = TLSPolicy(name: "a.example", alpn: ["h2", "http/1.0", "http/1.1"])
        let duet = try TestAuthority().duet(
            "a.example", wanted: policy, serverALPN: ["http/1.1", "http/1.0"])
        duet.shakeHands()
        #expect(duet.client.facts?.alpn == "http/1.1")
    }

    @Test func `the TLS handshake fails on both sides if they share no ALPN protocol`() throws {
        let duet = try TestAuthority().duet(
            "a.example", wanted: TLSPolicy(name: "a.example", alpn: ["h2"]))
        duet.shakeHands()
        let server = try #require(duet.serverError)
        #expect(server.message.hasPrefix("the client offers by ALPN no protocol we speak"))
        #expect(duet.clientError?.kind == .alertReceived(TLSAlert(code: 120)))
    }

    @Test
    func `an IP address is verified against the certificate but not sent as the TLS server name`()
        throws
    {
        let authority = try TestAuthority()
        for address in ["192.0.2.7", "[2001:db8::7]", "::1"] {
            let duet = try authority.duet(address)
            duet.shakeHands()
            #expect(duet.isEstablished, "\(address)")
            #expect(duet.server.facts?.serverName == nil)
        }
    }

    @Test func `a TLS session reports the certificate chain of its peer`() throws {
        let authority = try TestAuthority()
        let duet = try authority.duet("a.example")
        duet.shakeHands()
        let shown = try authority.leaves.serverContext(for: "a.example").certificateDER
        #expect(duet.client.facts?.peerCertificates == [shown])
    }

    @Test func `the error for received bytes that are not TLS says so`() throws {
        let duet = try TestAuthority().duet("a.example")
        let error = #expect(throws: TLSError.self) {
            try duet.server.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8).span) { _ in }
        }
        #expect(error?.kind == .protocolFailure)
        #expect(error?.message.hasPrefix("what the client sent is not TLS") == true)
    }

    @Test func `a failed TLS session keeps failing with the same error`() throws {
        let duet = try TestAuthority().duet("a.example")
        let garbage = [UInt8](repeating: 0x47, count: 100)
        let first = #expect(throws: TLSError.self) {
            try duet.server.receive(garbage.span) { _ in }
        }
        let second = #expect(throws: TLSError.self) { try duet.server.write(garbage.span) }
        #expect(first == second)
        #expect(duet.server.endOfInput() == first)
    }
}

@Suite struct ClientOfferTests {
    /// The cipher suites of a hello, in order (RFC 8446 §4.1.2).
    private func suites(of hello: [UInt8]) throws -> [UInt16] {
        var reader = VectorReader(hello.dropFirst(5 + 4 + 2 + 32))
        let sessionID = reader.vector8()
        #expect(sessionID != nil)
        let content = reader.vector16()
        var list = VectorReader(try #require(content))
        var suites: [UInt16] = []
        while let suite = list.uint16() { suites.append(suite) }
        return suites
    }

    @Test func `the TLS client offers no broken cipher suites`() throws {
        let context = try TLSClientContext(trust: .files([]))
        let session = try TLSSession(
            client: context, policy: TLSPolicy(name: "a.example"), port: 443)
        try session.startHandshake()
        let offered = try suites(of: session.takeOutput())
        #expect(offered.starts(with: [0x1302, 0x1303, 0x1301]))
        #expect(offered.contains(0xC02F), "ECDHE-RSA-AES128-GCM-SHA256")
        // RC4, 3DES, no encryption, and CBC with SHA-1 (RFC 2246, RFC 3268, RFC 4492).
        let broken: Set<UInt16> = [
            0x0001, 0x0002, 0x003B, 0x0004, 0x0005, 0x000A, 0x0016, 0x002F, 0x0035, 0x0033,
            0x0039, 0xC007, 0xC008, 0xC009, 0xC00A, 0xC011, 0xC012, 0xC013, 0xC014,
        ]
        #expect(broken.isDisjoint(with: offered))
    }
}

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
    func `a certificate_expired alert is reported as a refused certificate, not an untrusted CA`()
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
