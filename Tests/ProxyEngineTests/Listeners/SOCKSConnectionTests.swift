import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydProxyEngine

/// Clients of a SOCKS listener.
struct SOCKSConnectionTests {
    private func play<Value: Sendable>(
        pieces: Int = .max, _ configuration: EngineConfiguration = EngineConfiguration(),
        _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try Playbook.play(
            pieceByteCount: pieces, configuration: configuration, at: Playbook.socks, script)
    }

    @Test(arguments: [1, 2, .max])
    func `HTTP requests after a SOCKS handshake are forwarded and recorded`(pieces: Int) throws {
        let outcome = try play(pieces: pieces) { book in
            book.clientSends(Playbook.socksHandshake)
            book.connects()
            book.clientSends("GET /a HTTP/1.1\r\nHost: named.test\r\n\r\n")
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return book.socksOutcome
        }
        #expect(outcome.targets == ["h:80"])
        #expect(outcome.servers == ["GET /a HTTP/1.1\r\nHost: named.test\r\n\r\n"])
        let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(outcome.client == Playbook.socksEstablished + answer)
        #expect(outcome.clientEnding == nil)
        #expect(outcome.rows.map(\.url) == ["http://h/a"])
        #expect(outcome.rows.map(\.state) == [.complete])
        let arrival = ConnectionRecord.Arrival(listener: "s", mode: .socks)
        #expect(outcome.connections.filter { $0.side == .client }.map(\.arrival) == [arrival])
    }

    @Test func `the SOCKS success reply is sent only after the server connection is made`()
        throws
    {
        let (early, late) = try play { book in
            book.clientSends(Playbook.socksHandshake)
            let early = book.client.written
            book.connects()
            return (early, book.client.written)
        }
        #expect(early == [5, 0])
        #expect(late == Playbook.socksEstablished)
    }

    @Test func `a SOCKS client may send handshake and HTTP request without waiting for replies`()
        throws
    {
        let outcome = try play { book in
            book.clientSends(
                Playbook.socksHandshake + Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
            book.connects()
            return book.socksOutcome
        }
        #expect(outcome.servers == ["GET / HTTP/1.1\r\nHost: h\r\n\r\n"])
        #expect(outcome.client == Playbook.socksEstablished)
    }

    @Test func `the proxy itself answers a ClientHello after a SOCKS handshake`() throws {
        let did = try Playbook.play(at: Playbook.socks) { book in
            book.clientSends(Playbook.socksHandshake)
            book.connects()
            _ = book.did()
            book.clientSends(TunnelProtocolTests.hello("named.test"))
        } then: { book, _ in
            book.did()
        }
        #expect(did.contains { $0.hasPrefix("client < \u{15}") }, "\(did)")
    }

    @Test(arguments: [false, true])
    func `another protocol after a SOCKS handshake is relayed, whichever side speaks first`(
        serverSpeaks: Bool
    ) throws {
        let outcome = try play { book in
            book.clientSends(Playbook.socksHandshake)
            book.connects()
            if serverSpeaks { book.serverSends("220 ready\r\n") }
            book.clientSends([0, 1])
            if !serverSpeaks { book.serverSends("220 ready\r\n") }
            book.clientEnds()
            book.serverEnds()
            return book.socksOutcome
        }
        #expect(outcome.servers == ["\u{0}\u{1}"])
        #expect(outcome.client == Playbook.socksEstablished + Array("220 ready\r\n".utf8))
        #expect(outcome.rows.map(\.state) == [.tunnel])
        #expect(outcome.rows.map(\.method) == ["CONNECT"])
        #expect(outcome.rows.map(\.status) == [nil])
        #expect(outcome.rows.map(\.responseByteCount) == [11])
    }

    @Test
    func `a SOCKS client gets reply code 5 if the server refuses, and the failure is recorded`()
        throws
    {
        let outcome = try play { book in
            book.clientSends(Playbook.socksHandshake)
            book.connectFails(.connectionRefused, "refused")
            return book.socksOutcome
        }
        #expect(outcome.client == [5, 0] + SOCKSReply.v5(5))
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.rows.map(\.failure?.kind) == [.connectionRefused])
    }

    @Test(
        arguments: [[5], [5, 1], [5, 1, 0], [5, 1, 0, 5, 1, 0, 3, 1], [4, 1, 0]] as [[UInt8]])
    func `an incomplete SOCKS handshake is recorded on timeout, disconnect or proxy shutdown`(
        bytes: [UInt8]
    ) throws {
        let endings: [(ExchangeFailure.Kind, @Sendable (Playbook) -> Void)] = [
            (.timedOut, { $0.passes(seconds: 11) }), (.closedEarly, { $0.clientEnds() }),
            (.closedEarly, { $0.clientBreaks() }),
            (.shutdown, { $0.proxy.clients.terminateAll() }),
        ]
        for (kind, end) in endings {
            let (early, outcome, count) = try play { book in
                book.clientSends(bytes)
                book.passes(seconds: 9)
                let early = book.socksOutcome
                end(book)
                return (early, book.socksOutcome, book.proxy.clients.count)
            }
            #expect(early.clientEnding == nil)
            #expect(early.rows.isEmpty)
            #expect(outcome.rows.map(\.failure?.kind) == [kind])
            #expect(outcome.rows.map(\.malformed) == [bytes])
            #expect(outcome.targets.isEmpty)
            #expect(count == 0)
        }
    }

    @Test func `a connection to a SOCKS listener is not recorded if it sends nothing`() throws {
        let endings: [@Sendable (Playbook) -> Void] = [
            { $0.passes(seconds: 11) }, { $0.clientEnds() }, { $0.clientBreaks() },
            { $0.proxy.clients.drainAll() }, { $0.proxy.clients.terminateAll() },
        ]
        for end in endings {
            let (rows, count) = try play { book in
                end(book)
                return (book.sink.rows.count, book.proxy.clients.count)
            }
            #expect(rows == 0)
            #expect(count == 0)
        }
    }

    @Test func `a SOCKS handshake that has begun can be completed while the proxy stops`() throws {
        let outcome = try play { book in
            book.clientSends([5, 1, 0])
            book.proxy.clients.drainAll()
            book.clientSends(Array(Playbook.socksHandshake.dropFirst(3)))
            book.connects()
            return book.socksOutcome
        }
        #expect(outcome.client == Playbook.socksEstablished)
    }

    @Test(arguments: [1, .max])
    func `a SOCKS listener responds to HTTP with a 400 and closes TLS connections silently`(
        pieces: Int
    )
        throws
    {
        let http = try play(pieces: pieces) { book in
            book.clientSends("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n")
            return book.socksOutcome
        }
        let text = WireOutcome.text(http.client)
        #expect(text.hasPrefix("HTTP/1.1 400 "))
        #expect(text.contains("SOCKS"))
        #expect(http.clientEnding == .closed)
        #expect(http.rows.map(\.status) == [400])
        #expect(http.rows.map(\.failure?.kind) == [.malformedRequest])
        let tls = try play(pieces: pieces) { book in
            book.clientSends(TunnelProtocolTests.hello("h"))
            return book.socksOutcome
        }
        #expect(tls.client.isEmpty)
        #expect(tls.clientEnding == .closed)
        #expect(tls.rows.map(\.failure?.kind) == [.malformedRequest])
    }

    @Test(arguments: [(25, 2), (80, 0)] as [(UInt16, UInt8)])
    func `a SOCKS request for a port that is not allowed gets reply code 2`(
        port: UInt16, reply: UInt8
    )
        throws
    {
        var configuration = EngineConfiguration()
        configuration.isConnectPortAllowed = { $0 != 25 }
        let outcome = try play(configuration) { book in
            book.clientSends([5, 1, 0, 5, 1, 0, 3, 1, 0x68, 0, UInt8(port)])
            if book.connector.isWaitedFor { book.connects() }
            return book.socksOutcome
        }
        #expect(outcome.client == [5, 0] + SOCKSReply.v5(reply))
        #expect(outcome.targets.isEmpty == (port == 25))
    }

    @Test func `if a SOCKS client disconnects while the proxy connects, the attempt is cancelled`()
        throws
    {
        let (did, rows) = try play { book in
            book.clientSends(Playbook.socksHandshake)
            _ = book.did()
            book.clientEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(did.contains("connect cancelled"))
        #expect(rows.map(\.failure?.kind) == [.closedEarly])
    }

    @Test
    func `a SOCKS listener survives random bytes and leaves no connection open after shutdown`()
        throws
    {
        let counts = try play { book in
            var random = SplitMix(seed: 24)
            for _ in 0..<2_000 {
                let stream = book.accept("client", at: Playbook.socks)
                var bytes: [UInt8] = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    UInt8.random(in: 0...5, using: &random)
                }
                bytes.insert(UInt8.random(in: 4...5, using: &random), at: 0)
                stream.receive(bytes, pieceByteCount: Int.random(in: 1...8, using: &random))
                stream.receiveEnd(isClean: true)
            }
            let left = book.proxy.clients.count
            book.proxy.clients.terminateAll()
            return (left, book.proxy.clients.count)
        }
        // Those that have named a server are still being connected.
        #expect(counts.0 > 1 && counts.0 < 1_000)
        #expect(counts.1 == 0)
    }
}
