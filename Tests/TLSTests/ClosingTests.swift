import Testing

@testable import ProxydTLS

@Suite struct ClosingTests {
    @Test func `a TLS connection closed after close_notify ends without an error`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        try duet.server.write(Array("bye".utf8).span)
        duet.server.sendCloseNotify()
        duet.shuttle()
        #expect(duet.clientPlaintext == Array("bye".utf8))
        #expect(duet.client.didReceiveCloseNotify)
        #expect(duet.client.endOfInput() == nil)
    }

    @Test func `data that the TLS peer sends after receiving close_notify still arrives`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        duet.client.sendCloseNotify()
        duet.shuttle()
        try duet.server.write(Array("late".utf8).span)
        duet.server.sendCloseNotify()
        duet.shuttle()
        #expect(duet.clientPlaintext == Array("late".utf8))
        #expect(duet.client.didReceiveCloseNotify)
    }

    @Test func `a TLS connection closed without close_notify is reported as truncated`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        #expect(duet.client.endOfInput()?.kind == .truncated)
        #expect(
            duet.client.endOfInput()?.message
                == "the server closed the connection without close_notify")
    }

    @Test func `a TLS peer that half-closed its connection still receives data`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        #expect(duet.server.endOfInput()?.kind == .truncated)
        try duet.server.write(Array("answer".utf8).span)
        duet.shuttle()
        #expect(duet.clientPlaintext == Array("answer".utf8))
    }

    @Test
    func `the error for a client disconnect in the TLS handshake mentions certificate pinning`()
        throws
    {
        let duet = try TestAuthority().duet("a.example")
        try duet.client.startHandshake()
        try duet.server.receive(duet.client.takeOutput().span) { _ in }
        let error = duet.server.endOfInput()
        #expect(error?.kind == .closedDuringHandshake)
        #expect(
            error?.message == "the client closed the connection during the TLS handshake"
                + " (certificate pinning or an untrusted CA)")
    }

    @Test func `bytes received after a close_notify are ignored`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        duet.server.sendCloseNotify()
        duet.shuttle()
        try duet.client.receive([UInt8](repeating: 0x41, count: 1_000).span) { _ in
            Issue.record("nothing should come")
        }
        #expect(duet.client.endOfInput() == nil)
    }

    @Test func `a TLS record that was changed in transit causes an error and delivers no data`()
        throws
    {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        try duet.server.write(Array("secret".utf8).span)
        var record = duet.server.takeOutput()
        record[record.count - 1] ^= 1
        let error = #expect(throws: TLSError.self) {
            try duet.client.receive(record.span) { _ in Issue.record("nothing should come") }
        }
        #expect(error?.kind == .protocolFailure)
        #expect(duet.client.hasOutput)
    }

    @Test func `data received before a TLS error is delivered before the error`() throws {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        try duet.server.write(Array("good".utf8).span)
        let input = duet.server.takeOutput() + [UInt8](repeating: 0x7F, count: 64)
        var seen: [UInt8] = []
        #expect(throws: TLSError.self) {
            try duet.client.receive(input.span) { seen.append(contentsOf: $0) }
        }
        #expect(seen == Array("good".utf8))
    }
}
