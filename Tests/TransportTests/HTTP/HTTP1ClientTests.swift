import Foundation
import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import ProxydTransport

/// One exchange over HTTP/1, whatever the server does.
@Suite(.timeLimit(.minutes(5)))
struct HTTP1ClientTests {
    /// What came of an exchange, as far as it can leave the loop.
    private struct Outcome: Sendable {
        var events: [String] = []
        var body = ""
        var message: String?
        var refused = ""
        var repairs: [String] = []
        var connectionCount = -1
        /// What the server received on each connection.
        var received: [String] = []

        init(_ log: ExchangeLog, _ rig: TransportRig) {
            events = log.events
            body = log.bodyText
            message = log.failure?.message
            refused = String(decoding: log.exchange?.refusedBytes ?? [], as: UTF8.self)
            repairs = log.exchange?.repairs.texts ?? []
            connectionCount = rig.transport.connectionCount
            received = rig.peers.map(\.text)
        }
    }

    /// Sends one request to a server that answers with a text, and then perhaps closes.
    private func exchange(
        _ answer: String, thenCloses: Bool = false, method: HTTPMethod = .get
    ) async throws -> Outcome {
        try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, _ in
                peer.write(answer)
                if thenCloses { peer.close() }
            }
            rig.send("/", method) { log in finish(Outcome(log, rig)) }
        }
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", ["new", "200 exactly(5)", "end"],
            "hello"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nhe\r\n3\r\nllo\r\n0\r\nA: 1\r\n\r\n",
            ["new", "200 chunked", "trailers 1", "end"], "hello"
        ),
        ("HTTP/1.1 204 No\r\n\r\n", ["new", "204 none", "end"], ""),
        (
            "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            ["new", "103", "200 exactly(0)", "end"], ""
        ),
    ])
    func `a complete HTTP/1 response leaves the connection open`(
        answer: String, events: [String], body: String
    ) async throws {
        let outcome = try await exchange(answer)
        #expect(outcome.events == events && outcome.body == body)
        #expect(outcome.connectionCount == 1 && outcome.refused.isEmpty)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    ])
    func `a response with Connection: close or with HTTP/1.0 closes the connection`(
        answer: String
    ) async throws {
        let outcome = try await exchange(answer)
        #expect(outcome.events == ["new", "200 exactly(2)", "end"] && outcome.body == "hi")
        #expect(outcome.connectionCount == 0)
    }

    @Test func `an HTTP/1 response body without a length ends with the connection`() async throws {
        let outcome = try await exchange("HTTP/1.1 200 OK\r\n\r\nall of it", thenCloses: true)
        #expect(outcome.events == ["new", "200 untilClose", "end"])
        #expect(outcome.body == "all of it" && outcome.connectionCount == 0)
    }

    @Test func `a response to HEAD has no body, whatever its Content-Length`() async throws {
        let outcome = try await exchange(
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", method: .head)
        #expect(outcome.events.last == "end" && outcome.connectionCount == 1)
    }

    @Test(arguments: [
        ("", ""), ("HTTP/1.1 200 OK\r\nA: b", "HTTP/1.1 200 OK\r\nA: b"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello", ""),
    ])
    func `an HTTP/1 response that ends early is reported as an upstream failure`(
        answer: String, refused: String
    ) async throws {
        let outcome = try await exchange(answer, thenCloses: true)
        #expect(outcome.events.last == "failed upstream closedEarly")
        #expect(outcome.refused == refused && outcome.connectionCount == 0)
        // It was the connection's first, so it is not sent again.
        #expect(outcome.received.count == 1)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ])
    func `a malformed response fails the exchange, and its bytes are kept`(answer: String)
        async throws
    {
        let outcome = try await exchange(answer)
        #expect(outcome.events == ["new", "failed upstream malformedResponse"])
        #expect(answer.hasPrefix(outcome.refused) && !outcome.refused.isEmpty)
        #expect(outcome.connectionCount == 0)
    }

    @Test func `bytes after an HTTP/1 response are kept as rejected, and the connection is closed`()
        async throws
    {
        let outcome = try await exchange(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n")
        #expect(outcome.events.last == "end" && outcome.body == "x")
        #expect(outcome.refused == "HTTP/1.1 200 OK\r\n\r\n" && outcome.connectionCount == 0)
    }

    @Test func `a repaired HTTP/1 response reports its repairs`() async throws {
        let outcome = try await exchange("HTTP/1.1 200 OK\nContent-Length: 1\n\nx")
        #expect(outcome.events.last == "end" && outcome.body == "x")
        #expect(!outcome.repairs.isEmpty)
    }

    // MARK: Requests

    @Test func `a request body written before the connection is made is sent after the head`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let exchange = rig.send("/a", .post, body: .exactly(5)) { finish(Outcome($0, rig)) }
            exchange.sendBody(Array("he".utf8).span)
            #expect(exchange.isCongested)
            exchange.sendBody(Array("llo".utf8).span)
            exchange.finishBody(trailers: nil)
        }
        #expect(outcome.events == ["new", "drained", "200 exactly(1)", "end"])
        #expect(outcome.received.first?.hasPrefix("POST /a HTTP/1.1\r\n") == true)
        #expect(outcome.received.first?.contains("\r\nContent-Length: 5\r\n") == true)
        #expect(outcome.received.first?.hasSuffix("\r\n\r\nhello") == true)
    }

    @Test func `a request body of unknown length is sent chunked, with its trailers`() async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let exchange = rig.send("/", .put, body: .chunked) { finish(Outcome($0, rig)) }
            exchange.sendBody(Array("hello".utf8).span)
            exchange.finishBody(trailers: HeaderFields([("X-T", "1")]))
            exchange.finishBody(trailers: HeaderFields([("X-T", "2")]))
        }
        #expect(outcome.events.last == "end" && outcome.connectionCount == 1)
        #expect(outcome.received.first?.hasSuffix("5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n") == true)
    }

    @Test func `a response that arrives before the request body is complete closes the connection`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onAccept = { $0.answer("no", status: "413 Too Large") }
            rig.send("/", .post, body: .exactly(1 << 30)) { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events == ["new", "413 exactly(2)", "end"] && outcome.body == "no")
        #expect(outcome.connectionCount == 0)
    }

    @Test func `no response is read while receiving is paused`() async throws {
        let body = String(repeating: "x", count: 4 << 20)
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, text in
                peer.answer(text.hasPrefix("GET /other ") ? "" : body)
            }
            let log = ExchangeLog()
            var heldCount = -1
            log.onHead = { exchange in
                exchange.pauseReceiving()
                // What came with the head is still passed on; nothing after it, although other
                // exchanges are carried meanwhile.
                let other: TransportRig.Send = { rig.send("/other", onEnd: $0) }
                rig.sendInOrder([other]) { _ in
                    heldCount = log.body.count
                    rig.sendInOrder(Array(repeating: other, count: 20)) { _ in
                        #expect(log.body.count == heldCount)
                        exchange.resumeReceiving()
                    }
                }
            }
            rig.send(log: log) { log in
                #expect(heldCount >= 0 && heldCount < body.utf8.count)
                finish(Outcome(log, rig))
            }
        }
        #expect(outcome.events.last == "end" && outcome.body.utf8.count == body.utf8.count)
    }

    @Test func `a cancelled HTTP/1 request closes its connection and reports no more events`()
        async throws
    {
        let events: [String] = try await TransportRig.run { rig, finish in
            let log = ExchangeLog()
            rig.onRequest = { peer, _ in peer.write("HTTP/1.1 200 OK\r\n\r\nfirst") }
            rig.onPeerEnd = { _ in
                #expect(rig.transport.connectionCount == 0)
                finish(log.events)
            }
            log.onBody = { $0.cancel() }
            rig.send(log: log) { _ in Issue.record("it was cancelled") }
        }
        #expect(events == ["new", "200 untilClose"])
    }

    @Test func `a request that is cancelled while it connects is not sent`() async throws {
        let events: [String] = try await TransportRig.run { rig, finish in
            let log = ExchangeLog()
            rig.send(log: log) { _ in Issue.record("it was cancelled") }.cancel()
            // The next one is answered, so the first one would have been, too.
            rig.onRequest = { peer, text in
                #expect(text.hasPrefix("GET /second "))
                peer.answer("")
            }
            rig.send("/second") { _ in finish(log.events) }
        }
        #expect(events == [])
    }

    @Test func `a refused connection fails the request`() async throws {
        let outcome: Outcome = try await onLoop { loop, finish in
            let rig = try TransportRig(loop)
            let silent = try SilentPort()
            let port = silent.port
            let log = ExchangeLog()
            log.onEnd = { log in
                withExtendedLifetime(silent) { finish(Outcome(log, rig)) }
            }
            let url = RawURL(scheme: "http", host: "127.0.0.1", port: port, origin: [0x2F])
            log.exchange = rig.transport.send(
                OutgoingRequest(
                    target: ConnectTarget(host: "127.0.0.1", port: port, tls: nil),
                    message: ForwardedRequest(
                        head: RequestHead(
                            method: .get, target: [0x2F], fields: HeaderFields()),
                        url: url, body: .none)), delegate: log)
        }
        #expect(outcome.events == ["failed upstream connectionRefused"])
        #expect(outcome.connectionCount == 0)
    }

    // MARK: Other protocols

    private static let accept = "Upgrade: websocket\r\nConnection: Upgrade\r\n"

    @Test func `a 101 response hands over the stream with the bytes that followed its head`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, text in
                let key = text.firstMatch(of: /Sec-WebSocket-Key: (\S+)/).map { String($0.1) }
                let input = WebSocketHandshake.acceptInput(key: key ?? "")
                let digest = DigestAlgorithm.sha1.digest(of: input) ?? []
                let proof = Data(digest).base64EncodedString()
                peer.write(
                    "HTTP/1.1 101 Switching\r\n\(Self.accept)Sec-WebSocket-Accept: \(proof)\r\n\r\n"
                        + "early")
            }
            rig.send("/chat", extended: "websocket") { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events == ["new", "switched 101"] && outcome.body == "early")
        #expect(outcome.received.first?.hasPrefix("GET /chat HTTP/1.1\r\n") == true)
        // It belongs to its owner now.
        #expect(outcome.connectionCount == 0)
    }

    @Test func `a 101 without Sec-WebSocket-Accept fails, and its head is kept`() async throws {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, _ in
                peer.write("HTTP/1.1 101 Switching\r\n\(Self.accept)\r\n")
            }
            rig.send("/chat", extended: "websocket") { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events.last == "failed upstream malformedResponse")
        #expect(outcome.refused.hasPrefix("HTTP/1.1 101 Switching\r\n"))
    }

    @Test
    func `extended CONNECT other than for websocket fails over HTTP/1 but keeps the connection`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.send("/", extended: "connect-udp") { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events.count == 1 && outcome.events.first?.hasPrefix("failed ") == true)
        #expect(outcome.connectionCount == 1)
    }
}

/// The proof that a server understood a request for a WebSocket (RFC 6455 §4.1).
struct WebSocketKeyTests {
    private func head(_ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(
            status: 101, reason: "Switching Protocols",
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    }

    /// The example of RFC 6455 §1.3.
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    @Test func `the Sec-WebSocket-Accept example of RFC 6455 is accepted`() {
        let fields = head([("sec-websocket-accept", proof)]).fields
        #expect(WebSocketProof.isGiven(in: fields, for: key))
        #expect(!WebSocketProof.isGiven(in: fields, for: key + "="))
    }

    @Test func `a missing, wrong, repeated or differently cased Sec-WebSocket-Accept is rejected`()
    {
        for accepts in [[], ["x"], [proof, proof], [proof.lowercased()], [proof + "="]] {
            let fields = head(accepts.map { ("Sec-WebSocket-Accept", $0) }).fields
            #expect(!WebSocketProof.isGiven(in: fields, for: key), "\(accepts)")
        }
    }

    @Test func `WebSocket keys are 16 random bytes in Base64`() {
        let keys = (0..<50).map { _ in WebSocketKey().text }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") })
    }

    @Test(arguments: [[], ["h2c"], ["websocket, h2c"], ["websocket", "h2c"], ["websockets"]])
    func `a 101 response that switches to a protocol other than websocket is rejected`(
        upgrade: [String]
    ) {
        let fields = upgrade.map { ("Upgrade", $0) } + [("Connection", "Upgrade")]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.kind == .malformedResponse)
        #expect(objection?.message == "the server switched to a protocol other than websocket")
    }

    @Test func `a 101 whose Sec-WebSocket-Accept does not match the key is rejected`() {
        let fields = [
            ("Upgrade", "WebSocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", proof),
        ]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.message.contains("does not match the key") == true)
    }
}
