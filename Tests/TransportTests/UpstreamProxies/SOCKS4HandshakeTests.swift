import ProxydTransport
import Testing

struct SOCKS4HandshakeTests {
    private static let success: [UInt8] = [0, 90, 1, 2, 3, 4, 5, 6]

    /// How it comes out, which is the same however the reply is cut.
    private func play(
        _ reply: [UInt8], host: String = "h", user: String = ""
    ) throws -> HandshakePlay.Outcome {
        let handshake = try SOCKS4Handshake(host: host, port: 0x1234, user: user)
        let outcomes = HandshakePlay.all(handshake, [reply])
        for outcome in outcomes { #expect(outcome == outcomes[0]) }
        return outcomes[0]
    }

    @Test(arguments: [
        ("192.0.2.1", "", [192, 0, 2, 1, 0]), ("192.0.2.1", "me", [192, 0, 2, 1, 0x6D, 0x65, 0]),
        ("a.b", "", [0, 0, 0, 1, 0, 0x61, 0x2E, 0x62, 0]),
        ("a.b", "me", [0, 0, 0, 1, 0x6D, 0x65, 0, 0x61, 0x2E, 0x62, 0]),
    ])
    func `the SOCKS client sends an IPv4 address by SOCKS 4 and a host name by SOCKS 4a`(
        host: String, user: String, bytes: [UInt8]
    ) throws {
        let outcome = try play(Self.success, host: host, user: user)
        #expect(outcome.sent == [[4, 1, 0x12, 0x34] + bytes])
        #expect(outcome.end == .success(.established(leftover: [])))
    }

    @Test func `bytes after the SOCKS 4 reply belong to the server`() throws {
        let outcome = try play(Self.success + [0xAA, 0xBB])
        #expect(outcome.end == .success(.established(leftover: [0xAA, 0xBB])))
    }

    @Test(arguments: [
        ([0, 91], ProxyHandshakeError.generalFailure), ([0, 92], .authenticationFailed),
        ([0, 93, 0, 0, 0, 0, 0, 0], .authenticationFailed), ([0, 0], .unknownReply(0)),
        ([0, 255], .unknownReply(255)), ([4], .notSOCKS4), ([5, 0], .notSOCKS4),
        ([0x48, 0x54, 0x54, 0x50], .notSOCKS4),
    ])
    func `a SOCKS 4 refusal or invalid reply is an error`(
        reply: [UInt8], error: ProxyHandshakeError
    ) throws {
        #expect(try play(reply).end == .failure(error))
    }

    @Test(arguments: [[0, 91], success] as [[UInt8]])
    func `a finished SOCKS 4 handshake accepts no further input`(reply: [UInt8]) throws {
        var handshake = try SOCKS4Handshake(host: "h", port: 1)
        _ = handshake.begin()
        _ = try? handshake.receive(reply.span)
        #expect(throws: ProxyHandshakeError.malformedReply) {
            try handshake.receive(Self.success.span)
        }
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 256), "a\0b", "::1", "0.0.0.0", "0.0.0.7",
        "192.0.2.1\0.example",
    ])
    func `destinations that SOCKS 4 cannot encode are rejected`(host: String) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try SOCKS4Handshake(host: host, port: 1)
        }
    }

    @Test(arguments: ["a\0", String(repeating: "u", count: 256)])
    func `user names that SOCKS 4 cannot encode are rejected`(user: String) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try SOCKS4Handshake(host: "h", port: 1, user: user)
        }
    }
}
