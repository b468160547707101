import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// The handshake of SOCKS 4, 4a and 5, step by step.
struct SOCKSHandshakeTests {
    private typealias Step = SOCKSHandshake.Step

    /// The steps for some bytes, which are the same whether they come together or one by one, and
    /// the bytes that are left.
    private func steps(
        _ bytes: [UInt8], password: Bool = false, accepts: Bool = true
    ) -> (steps: [Step], rest: [UInt8]) {
        let whole = play([bytes], password, accepts)
        let drip = play(bytes.map { [$0] }, password, accepts)
        #expect(whole.steps == drip.steps)
        #expect(whole.rest == drip.rest)
        return whole
    }

    private func play(
        _ pieces: [[UInt8]], _ password: Bool, _ accepts: Bool
    ) -> (steps: [Step], rest: [UInt8]) {
        var handshake = SOCKSHandshake(requiresPassword: password)
        var steps: [Step] = []
        for piece in pieces {
            handshake.append(piece.span)
            while true {
                let step = handshake.next()
                guard step != .needsMoreInput else { break }
                steps.append(step)
                if case .authenticate = step { steps.append(handshake.authenticated(accepts)) }
            }
        }
        return (steps, handshake.rest)
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func request(
        _ host: String, _ port: UInt16 = 80, _ version: SOCKSRequest.Version = .v5
    ) -> Step {
        .request(SOCKSRequest(version: version, host: host, port: port))
    }

    // MARK: SOCKS 5

    private static let noPassword: [UInt8] = [5, 1, 0]

    @Test(
        arguments: [
            ([1, 192, 0, 2, 1], "192.0.2.1"),
            ([4, 0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [1], "2001:db8::1"),
            ([3, 6] + Array("a.test".utf8), "a.test"),
            ([3, 9] + Array("192.0.2.1".utf8), "192.0.2.1"),
            ([3, 5] + Array("[::1]".utf8), "::1"),
            ([4] + Array(repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1], "192.0.2.1"),
        ] as [([UInt8], String)])
    func `a SOCKS 5 request names its server by IPv4 address, IPv6 address or host name`(
        address: [UInt8], host: String
    ) {
        let found = steps(Self.noPassword + [5, 1, 0] + address + [0, 80])
        #expect(found.steps == [.send([5, 0]), request(host)])
        #expect(found.rest.isEmpty)
    }

    @Test func `bytes after a SOCKS 5 request are left for the server`() {
        let found = play(
            [Self.noPassword + [5, 1, 0, 1, 192, 0, 2, 1, 0, 80, 0x16, 3]], false, true)
        #expect(found.steps == [.send([5, 0]), request("192.0.2.1")])
        #expect(found.rest == [0x16, 3])
    }

    @Test func `host name, user and password of SOCKS 5 can each have 255 bytes`() {
        let name = String(repeating: "a", count: 255)
        let named = steps(Self.noPassword + [5, 1, 0, 3, 255] + text(name) + [0, 80])
        #expect(named.steps.last == request(name))
        let user = Array(repeating: UInt8(0xFF), count: 255)
        let authenticated = steps(
            [5, 1, 2, 1, 255] + user + [255] + user + [5, 1, 0, 1, 192, 0, 2, 1, 0, 80],
            password: true)
        #expect(
            authenticated.steps == [
                .send([5, 2]), .authenticate(ClientCredentials(user: user, password: user)),
                .send([1, 0]), request("192.0.2.1"),
            ])
    }

    @Test(
        arguments: [
            ([5, 0], [5, 0xFF]), ([5, 1, 1], [5, 0xFF]), ([5, 2, 1, 2], [5, 0xFF]),
        ] as [([UInt8], [UInt8])])
    func `a SOCKS 5 client that offers no acceptable authentication method is refused`(
        bytes: [UInt8], answer: [UInt8]
    ) {
        #expect(steps(bytes).steps == [.refuse(answer, .noMethod)])
    }

    @Test func `SOCKS clients without a password are refused if one is required`() {
        #expect(steps([5, 2, 0, 1], password: true).steps == [.refuse([5, 0xFF], .noPassword)])
        #expect(
            steps([4, 1, 0, 80, 192, 0, 2, 1, 0x75, 0], password: true).steps.first
                == .refuse(SOCKSReply.v4(0x5D), .noPassword))
    }

    @Test func `a wrong password ends the SOCKS 5 handshake`() {
        let bytes: [UInt8] = [5, 1, 2, 1, 1, 0x75, 1, 0x70, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80]
        let found = play([bytes], true, false)
        #expect(
            found.steps == [
                .send([5, 2]), .authenticate(ClientCredentials(user: [0x75], password: [0x70])),
                .refuse([1, 1], .wrongPassword),
            ])
    }

    @Test func `SOCKS 5 credentials with a version other than 1 are rejected`() {
        #expect(
            play([[5, 1, 2, 5, 1]], true, true).steps
                == [.send([5, 2]), .refuse([1, 1], .malformed)])
    }

    @Test(
        arguments: [
            ([5, 2, 0, 1, 0, 0, 0, 0, 0, 0], 7, SOCKSFault.command),
            ([5, 3, 0, 1, 0, 0, 0, 0, 0, 0], 7, .command),
            ([5, 0, 0, 1, 192, 0, 2, 1, 0, 80], 7, .command),
            ([5, 1, 0, 2], 8, .addressKind), ([5, 1, 0, 0], 8, .addressKind),
            ([5, 1, 0, 255], 8, .addressKind), ([4], 1, .malformed),
            ([5, 1, 0, 1, 192, 0, 2, 1, 0, 0], 1, .malformed),
            ([5, 1, 0, 3, 0, 0, 80], 1, .malformed),
            ([5, 1, 0, 3, 1, 0, 0, 80], 1, .malformed),
            ([5, 1, 0, 3, 1, 0x2F, 0, 80], 1, .malformed),
            ([5, 1, 0, 3, 3, 0x61, 0x40, 0x62, 0, 80], 1, .malformed),
            ([5, 1, 0, 3, 3, 0x61, 0x3A, 0x62, 0, 80], 1, .malformed),
            ([5, 1, 0, 3, 2, 0xC3, 0xA9, 0, 80], 1, .malformed),
        ] as [([UInt8], UInt8, SOCKSFault)])
    func `an unsupported or malformed SOCKS 5 request gets the reply code for its fault`(
        bytes: [UInt8], reply: UInt8, fault: SOCKSFault
    ) {
        let found = play([Self.noPassword + bytes], false, true)
        #expect(found.steps == [.send([5, 0]), .refuse(SOCKSReply.v5(reply), fault)])
    }

    // MARK: SOCKS 4

    @Test func `a SOCKS 4 request names its server by address, a SOCKS 4a request by host name`() {
        #expect(
            steps([4, 1, 0, 80, 192, 0, 2, 1, 0x75, 0]).steps
                == [request("192.0.2.1", 80, .v4)])
        #expect(
            steps([4, 1, 1, 187, 0, 0, 0, 1, 0] + text("a.test") + [0]).steps
                == [request("a.test", 443, .v4)])
        #expect(steps([4, 1, 0, 80, 0, 0, 0, 0, 0]).steps == [request("0.0.0.0", 80, .v4)])
    }

    @Test func `bytes after a SOCKS 4 request are left for the server`() {
        let found = play([[4, 1, 0, 80, 192, 0, 2, 1, 0, 0x16]], false, true)
        #expect(found.steps == [request("192.0.2.1", 80, .v4)])
        #expect(found.rest == [0x16])
    }

    @Test func `user and host name of SOCKS 4 can have 255 bytes but not 256`() {
        let name = String(repeating: "a", count: 255)
        let start: [UInt8] = [4, 1, 0, 80, 0, 0, 0, 1]
        let longest = steps(start + text(name) + [0] + text(name) + [0])
        #expect(longest.steps == [request(name, 80, .v4)])
        for bytes in [start + text(name) + text("a"), start + [0] + text(name) + text("a")] {
            let found = steps(bytes)
            #expect(found.steps == [.refuse(SOCKSReply.v4(0x5B), .malformed)])
        }
    }

    @Test(
        arguments: [
            ([4, 2, 0, 80, 192, 0, 2, 1, 0], SOCKSFault.command),
            ([4, 1, 0, 0, 192, 0, 2, 1, 0], .malformed),
            ([4, 1, 0, 80, 0, 0, 0, 1, 0, 0], .malformed),
            ([4, 1, 0, 80, 0, 0, 0, 1, 0, 0x2F, 0], .malformed),
        ] as [([UInt8], SOCKSFault)])
    func `SOCKS 4 requests that are unsupported or malformed all get reply 0x5B`(
        bytes: [UInt8], fault: SOCKSFault
    ) {
        #expect(play([bytes], false, true).steps == [.refuse(SOCKSReply.v4(0x5B), fault)])
    }

    // MARK: Anything else

    @Test(arguments: [0, 1, 3, 6, 0x16, 0x47, 0xFF] as [UInt8])
    func `a handshake whose first byte is not a SOCKS version is rejected without a reply`(
        byte: UInt8
    ) {
        #expect(steps([byte]).steps == [.refuse([], .notSOCKS)])
    }

    @Test func `no further input is read after a rejected SOCKS handshake`() {
        var handshake = SOCKSHandshake(requiresPassword: false)
        handshake.append([9, 5, 1, 0].span)
        #expect(handshake.next() == .refuse([], .notSOCKS))
        #expect(handshake.next() == .needsMoreInput)
        #expect(handshake.authenticated(true) == .needsMoreInput)
    }

    @Test(arguments: [
        (ExchangeFailure.Kind.refused, UInt8(2)), (.blocked, 2), (.loop, 2), (.connectFailed, 3),
        (.nameResolution, 4), (.connectionRefused, 5), (.timedOut, 6), (.overloaded, 1),
        (.tlsHandshake, 1),
    ])
    func `each kind of connection failure is mapped to a SOCKS reply code`(
        kind: ExchangeFailure.Kind, code: UInt8
    ) {
        let refusal = Refusal.failure(
            ExchangeFailure(origin: .upstream, kind: kind, message: ""))
        #expect(SOCKSReply.refusal(.v5, refusal) == SOCKSReply.v5(code))
        #expect(SOCKSReply.refusal(.v4, refusal) == SOCKSReply.v4(0x5B))
    }
}
