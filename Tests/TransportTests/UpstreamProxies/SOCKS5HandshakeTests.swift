import ClientLib
import Testing

struct SOCKS5HandshakeTests {
    private static let credential = Credential(user: "us", password: "pwd")

    /// Plays messages of the proxy, each whole or octet by octet, and gives what was sent and what
    /// came at the end.
    private func play(
        _ messages: [[UInt8]], host: String = "h", credential: Credential? = nil,
        dripping: Bool = false
    ) throws -> (sent: [[UInt8]], last: ProxyHandshakeStep) {
        var handshake = try SOCKS5Handshake(host: host, port: 0x1234, credential: credential)
        var sent = [handshake.begin()]
        var last = ProxyHandshakeStep.needsMoreInput
        for message in messages {
            for piece in dripping ? message.map({ [$0] }) : [message] {
                last = try handshake.receive(piece.span)
                if case .send(let octets) = last { sent.append(octets) }
            }
        }
        return (sent, last)
    }

    private static let success: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    @Test(arguments: [false, true])
    func `without a credential none is offered`(dripping: Bool) throws {
        let (sent, last) = try play([[5, 0], Self.success], dripping: dripping)
        #expect(sent == [[5, 1, 0], [5, 1, 0, 3, 1, 0x68, 0x12, 0x34]])
        #expect(last == .established(leftover: []))
    }

    @Test(arguments: [false, true])
    func `name and password are sent where they are wanted`(dripping: Bool) throws {
        let (sent, last) = try play(
            [[5, 2], [1, 0], Self.success], credential: Self.credential, dripping: dripping)
        #expect(
            sent == [
                [5, 2, 0, 2], [1, 2, 0x75, 0x73, 3, 0x70, 0x77, 0x64],
                [5, 1, 0, 3, 1, 0x68, 0x12, 0x34],
            ])
        #expect(last == .established(leftover: []))
    }

    @Test func `a proxy may go without the credential`() throws {
        let (sent, last) = try play([[5, 0], Self.success], credential: Self.credential)
        #expect(sent.count == 2 && last == .established(leftover: []))
    }

    @Test(arguments: [
        ("127.0.0.1", [1, 127, 0, 0, 1]), ("::1", [4] + Array(repeating: 0, count: 15) + [1]),
        ("a.b", [3, 3, 0x61, 0x2E, 0x62]),
    ])
    func `destinations are addresses or names`(host: String, octets: [UInt8]) throws {
        let (sent, _) = try play([[5, 0]], host: host)
        #expect(sent.last == [5, 1, 0] + octets + [0x12, 0x34])
    }

    @Test(arguments: [
        [5, 0, 0, 1, 1, 2, 3, 4, 5, 6], [5, 0, 0, 3, 2, 1, 2, 3, 4], [5, 0, 0, 3, 0, 3, 4],
        [5, 0, 0, 4] + Array(repeating: 7, count: 18),
    ])
    func `every form of bound address is read, cut anywhere, with what follows`(
        reply: [UInt8]
    ) throws {
        let octets = reply + [0xAA, 0xBB]
        for cut in 0...octets.count {
            var handshake = try SOCKS5Handshake(host: "h", port: 1)
            _ = handshake.begin()
            let method: [UInt8] = [5, 0]
            _ = try handshake.receive(method.span)
            let (first, second) = (Array(octets[..<cut]), Array(octets[cut...]))
            var step = try handshake.receive(first.span)
            var rest = second
            if step == .needsMoreInput {
                step = try handshake.receive(second.span)
                rest = []
            }
            guard case .established(let leftover) = step else {
                Issue.record("not established at \(cut)")
                continue
            }
            #expect(leftover + rest == [0xAA, 0xBB])
        }
    }

    @Test(arguments: [
        (UInt8(1), ProxyHandshakeError.generalFailure), (2, .notAllowed), (3, .networkUnreachable),
        (4, .hostUnreachable), (5, .connectionRefused), (6, .timeToLiveExpired),
        (7, .commandNotSupported), (8, .addressTypeNotSupported), (9, .unknownReply(9)),
        (255, .unknownReply(255)),
    ])
    func `every reply has its error, before its address came`(
        reply: UInt8, error: ProxyHandshakeError
    ) {
        #expect(throws: error) { try play([[5, 0], [5, reply]]) }
        #expect(throws: error) { try play([[5, 0], [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]]) }
    }

    @Test(arguments: [
        ([[4]], ProxyHandshakeError.notSOCKS5), ([[0x48, 0x54]], .notSOCKS5),
        ([[5, 0xFF]], .noAcceptableMethod), ([[5, 2]], .malformedReply),
        ([[5, 1]], .malformedReply),
        ([[5, 0, 5]], .malformedReply), ([[5, 0], [4, 0]], .notSOCKS5),
        ([[5, 0], [5, 0, 0, 9, 0]], .malformedReply),
    ])
    func `what is no answer is an error`(messages: [[UInt8]], error: ProxyHandshakeError) {
        #expect(throws: error) { try play(messages) }
    }

    @Test func `a refused password is an error`() {
        #expect(throws: ProxyHandshakeError.authenticationFailed) {
            try play([[5, 2], [1, 1]], credential: Self.credential)
        }
        #expect(throws: ProxyHandshakeError.malformedReply) {
            try play([[5, 2], [5, 0]], credential: Self.credential)
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 256), "a\0b"])
    func `names that cannot be said are refused`(host: String) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try SOCKS5Handshake(host: host, port: 1)
        }
    }

    @Test(arguments: [
        Credential(user: "", password: "p"), .bearer(token: "t"),
        Credential(user: String(repeating: "u", count: 256), password: "p"),
        Credential(user: "u", password: String(repeating: "p", count: 256)),
    ])
    func `credentials that cannot be said are refused`(credential: Credential) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try SOCKS5Handshake(host: "h", port: 1, credential: credential)
        }
    }
}
