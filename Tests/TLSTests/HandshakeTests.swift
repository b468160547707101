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
    func `a TLS handshake and its data work when they are received in small pieces`(byteCount: Int)
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
    func `an IP address is verified in the certificate but never sent as the TLS server name`()
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
