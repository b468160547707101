import ProxydHTTPModel
import ProxydTransport
import Testing

struct HTTPConnectHandshakeTests {
    private func handshake() throws -> HTTPConnectHandshake {
        let fields = HeaderFields([("Proxy-Authorization", "Basic QTpC"), ("Host", "other")])
        return try HTTPConnectHandshake(host: "example.com", port: 443, fields: fields)
    }

    @Test
    func `CONNECT to an upstream proxy has the target in Host and carries the configured fields`()
        throws
    {
        var handshake = try handshake()
        #expect(
            ASCII.text(handshake.begin()) == "CONNECT example.com:443 HTTP/1.1\r\n"
                + "Host: example.com:443\r\nProxy-Authorization: Basic QTpC\r\n\r\n")
        var literal = try HTTPConnectHandshake(host: "::1", port: 1)
        #expect(
            ASCII.text(literal.begin()).hasPrefix("CONNECT [::1]:1 HTTP/1.1\r\nHost: [::1]:1\r\n"))
    }

    @Test func `in CONNECT to an upstream proxy, the password is sent as Basic credentials`() throws
    {
        let password = ProxyPassword(user: "Aladdin", password: "open sesame")
        var handshake = try HTTPConnectHandshake(host: "h", port: 1, password: password)
        #expect(
            ASCII.text(handshake.begin()).hasSuffix(
                "\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"))
        #expect(!"\(password)".contains("sesame") && !String(reflecting: password).contains("ses"))
    }

    @Test(arguments: [("a:b", "c"), ("a", "b\n"), ("a\0", "b")])
    func `credentials for an upstream proxy that Basic cannot encode are rejected`(
        user: String, password: String
    ) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try HTTPConnectHandshake(
                host: "h", port: 1, password: ProxyPassword(user: user, password: password))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 204 x\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nA: b\r\n\r\nHTTP/1.1 299 x\r\n\r\n",
        // A length means nothing here (RFC 9110 §9.3.6).
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func `a 2xx from an upstream proxy opens the tunnel, and bytes after it come from the server`(
        response: String
    ) throws {
        for leftover in ["", "hello", "HTTP/1.1 407 No\r\n\r\n"] {
            let outcomes = HandshakePlay.all(
                try handshake(), [Array((response + leftover).utf8)])
            for outcome in outcomes {
                #expect(outcome.end == .success(.established(leftover: Array(leftover.utf8))))
            }
        }
    }

    @Test(arguments: [302, 403, 407, 502])
    func `a final response other than 2xx from an upstream proxy refuses the tunnel`(status: Int)
        throws
    {
        let response =
            "HTTP/1.1 \(status) No\r\nProxy-Authenticate: Basic realm=x\r\n"
            + "Content-Length: 2\r\n\r\nno"
        for outcome in HandshakePlay.all(try handshake(), [Array(response.utf8)]) {
            guard case .success(.refused(let head)) = outcome.end else {
                Issue.record("not refused: \(outcome.end)")
                continue
            }
            #expect(head.status == status)
            #expect(head.fields["Proxy-Authenticate"] == "Basic realm=x")
        }
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "\u{5}\u{0}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n",
    ])
    func `a non-HTTP response from an upstream proxy to CONNECT is an error`(text: String)
        throws
    {
        for outcome in HandshakePlay.all(try handshake(), [Array(text.utf8)]) {
            #expect(outcome.end == .failure(.malformedResponse))
        }
    }

    @Test func `endless interim responses to CONNECT from an upstream proxy are an error`() throws {
        let text = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000)
        let outcome = HandshakePlay.run(try handshake(), [Array(text.utf8)])
        #expect(outcome.end == .failure(.malformedResponse))
    }

    @Test func `an oversized response head from an upstream proxy is an error`() throws {
        let handshake = try HTTPConnectHandshake(host: "h", port: 1, headByteCountMax: 1_000)
        let bytes = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2_000))".utf8)
        let outcomes = HandshakePlay.all(handshake, [bytes])
        for outcome in outcomes { #expect(outcome.end == .failure(.malformedResponse)) }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "SSH-2.0\r\n",
    ])
    func `a finished CONNECT handshake with an upstream proxy accepts no further input`(
        text: String
    ) throws {
        var handshake = try handshake()
        _ = handshake.begin()
        _ = try? handshake.receive(Array(text.utf8).span)
        #expect(throws: ProxyHandshakeError.malformedResponse) {
            try handshake.receive(Array("HTTP/1.1 200 OK\r\n\r\n".utf8).span)
        }
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a/b", "u@h", "é"])
    func `a host name that cannot be written in CONNECT to an upstream proxy is rejected`(
        host: String
    ) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try HTTPConnectHandshake(host: host, port: 1)
        }
    }

    @Test func `a field value with a line break is rejected in CONNECT to an upstream proxy`() {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try HTTPConnectHandshake(
                host: "h", port: 1, fields: HeaderFields([("A", "b\r\nC: d")]))
        }
    }
}

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
    func `user names and passwords that SOCKS 5 cannot encode are rejected`(
        user: String, password: String
    ) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try SOCKS5Handshake(
                host: "h", port: 1, password: ProxyPassword(user: user, password: password))
        }
    }
}

/// Plays what a proxy says, in pieces of any size, to a handshake.
enum HandshakePlay {
    /// How it came out.
    struct Outcome: Equatable {
        /// What was sent, one element for each time.
        var sent: [[UInt8]] = []
        /// How it ended; the bytes of the server that were not fed yet are in what is left over.
        var end: Result<ProxyHandshakeStep, ProxyHandshakeError>
    }

    /// Feeds messages, each of which is only said when what came before it was answered.
    static func run(
        _ handshake: some ProxyHandshake, _ messages: [[UInt8]],
        pieces: ([UInt8]) -> [[UInt8]] = { [$0] }
    ) -> Outcome {
        var handshake = handshake
        var outcome = Outcome(sent: [handshake.begin()], end: .success(.needsMoreInput))
        for message in messages {
            var rest = pieces(message)[...]
            while let piece = rest.popFirst() {
                do throws(ProxyHandshakeError) {
                    let step = try handshake.receive(piece.span)
                    switch step {
                    case .needsMoreInput: continue
                    case .send(let bytes): outcome.sent.append(bytes)
                    case .refused: outcome.end = .success(step)
                    case .established(let leftover):
                        outcome.end = .success(.established(leftover: leftover + rest.joined()))
                    }
                    guard case .send = step else { return outcome }
                } catch {
                    outcome.end = .failure(error)
                    return outcome
                }
            }
        }
        return outcome
    }

    /// Every way to feed the messages that must come to the same: whole, byte by byte, and cut in
    /// two at every offset.
    static func all(_ handshake: some ProxyHandshake, _ messages: [[UInt8]]) -> [Outcome] {
        let longest = messages.map(\.count).max() ?? 0
        let cut = (0...longest).map { offset in
            run(handshake, messages) { [Array($0.prefix(offset)), Array($0.dropFirst(offset))] }
        }
        return [run(handshake, messages), run(handshake, messages) { $0.map { [$0] } }] + cut
    }
}
