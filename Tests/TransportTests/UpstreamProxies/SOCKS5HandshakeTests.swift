import ProxydTransport
import Testing

struct SOCKS5HandshakeTests {
    private static let password = ProxyPassword(user: "us", password: "pwd")
    private static let success: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    /// How it comes out, which is the same however the messages are cut.
    private func play(
        _ messages: [[UInt8]], host: String = "h", password: ProxyPassword? = nil
    ) throws -> HandshakePlay.Outcome {
        let handshake = try SOCKS5Handshake(host: host, port: 0x1234, password: password)
        let outcomes = HandshakePlay.all(handshake, messages)
        for outcome in outcomes { #expect(outcome == outcomes[0]) }
        return outcomes[0]
    }

    @Test func `the SOCKS 5 client without a password offers no password authentication`() throws {
        let outcome = try play([[5, 0], Self.success])
        #expect(outcome.sent == [[5, 1, 0], [5, 1, 0, 3, 1, 0x68, 0x12, 0x34]])
        #expect(outcome.end == .success(.established(leftover: [])))
    }

    @Test func `the SOCKS 5 client sends user and password if the proxy asks for them`() throws {
        let outcome = try play([[5, 2], [1, 0], Self.success], password: Self.password)
        #expect(
            outcome.sent == [
                [5, 2, 0, 2], [1, 2, 0x75, 0x73, 3, 0x70, 0x77, 0x64],
                [5, 1, 0, 3, 1, 0x68, 0x12, 0x34],
            ])
        #expect(outcome.end == .success(.established(leftover: [])))
    }

    @Test func `a SOCKS 5 proxy may skip authentication although the client offers a password`()
        throws
    {
        let outcome = try play([[5, 0], Self.success], password: Self.password)
        #expect(outcome.sent.count == 2)
        #expect(outcome.end == .success(.established(leftover: [])))
    }

    @Test(arguments: [
        ("127.0.0.1", [1, 127, 0, 0, 1]), ("::1", [4] + Array(repeating: 0, count: 15) + [1]),
        ("a.b", [3, 3, 0x61, 0x2E, 0x62]),
    ])
    func `the SOCKS 5 client sends its destination as IPv4 address, IPv6 address or host name`(
        host: String, bytes: [UInt8]
    ) throws {
        #expect(try play([[5, 0]], host: host).sent.last == [5, 1, 0] + bytes + [0x12, 0x34])
    }

    @Test(arguments: [
        [5, 0, 0, 1, 1, 2, 3, 4, 5, 6], [5, 0, 0, 3, 2, 1, 2, 3, 4], [5, 0, 0, 3, 0, 3, 4],
        [5, 0, 0, 4] + Array(repeating: 7, count: 18),
    ])
    func `a SOCKS 5 reply is parsed with any bound address type, and bytes after it are kept`(
        reply: [UInt8]
    ) throws {
        let outcome = try play([[5, 0], reply + [0xAA, 0xBB]])
        #expect(outcome.end == .success(.established(leftover: [0xAA, 0xBB])))
    }

    @Test(arguments: [
        (UInt8(1), ProxyHandshakeError.generalFailure), (2, .notAllowed), (3, .networkUnreachable),
        (4, .hostUnreachable), (5, .connectionRefused), (6, .timeToLiveExpired),
        (7, .commandNotSupported), (8, .addressTypeNotSupported), (9, .unknownReply(9)),
        (255, .unknownReply(255)),
    ])
    func `each SOCKS 5 error reply is reported even before the address in the reply arrives`(
        reply: UInt8, error: ProxyHandshakeError
    ) throws {
        #expect(try play([[5, 0], [5, reply]]).end == .failure(error))
        #expect(try play([[5, 0], [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]]).end == .failure(error))
    }

    @Test(arguments: [
        ([[4]], ProxyHandshakeError.notSOCKS5), ([[0x48, 0x54]], .notSOCKS5),
        ([[5, 0xFF]], .noAcceptableMethod), ([[5, 2]], .malformedReply),
        ([[5, 1]], .malformedReply), ([[5, 0], [4, 0]], .notSOCKS5),
        ([[5, 0], [5, 0, 0, 9, 0]], .malformedReply),
    ])
    func `an invalid SOCKS 5 reply is an error`(
        messages: [[UInt8]], error: ProxyHandshakeError
    ) throws {
        #expect(try play(messages).end == .failure(error))
    }

    @Test func `a SOCKS 5 reply that arrives before its request is an error`() throws {
        let handshake = try SOCKS5Handshake(host: "h", port: 1)
        let outcome = HandshakePlay.run(handshake, [[5, 0] + Self.success])
        #expect(outcome.end == .failure(.malformedReply))
    }

    @Test func `a password refused by a SOCKS 5 proxy is an error`() throws {
        let refused = try play([[5, 2], [1, 1]], password: Self.password)
        #expect(refused.end == .failure(.authenticationFailed))
        let confused = try play([[5, 2], [5, 0]], password: Self.password)
        #expect(confused.end == .failure(.malformedReply))
    }

    @Test(arguments: [[[5, 0xFF]], [[5, 0], [5, 1]], [[5, 0], success]] as [[[UInt8]]])
    func `a finished SOCKS 5 handshake accepts no further input`(messages: [[UInt8]]) throws {
        var handshake = try SOCKS5Handshake(host: "h", port: 1)
        _ = handshake.begin()
        for message in messages { _ = try? handshake.receive(message.span) }
        for message: [UInt8] in [[], [5, 0], Self.success] {
            #expect(throws: ProxyHandshakeError.malformedReply) {
                try handshake.receive(message.span)
            }
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 256), "a\0b", "127.0.0.1\0.example"])
    func `host names that SOCKS 5 cannot encode are rejected`(host: String) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try SOCKS5Handshake(host: host, port: 1)
        }
    }

    @Test(arguments: [
        ("", "p"), (String(repeating: "u", count: 256), "p"),
        ("u", String(repeating: "p", count: 256)),
    ])
    func `users and passwords that SOCKS 5 cannot encode are rejected`(
        user: String, password: String
    ) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try SOCKS5Handshake(
                host: "h", port: 1, password: ProxyPassword(user: user, password: password))
        }
    }
}
