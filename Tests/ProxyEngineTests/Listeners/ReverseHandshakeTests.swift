import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// The beginning of connections at a reverse listener whose clients speak TLS.
struct ReverseHandshakeTests {
    private static let listener = ServedListener(
        name: "r",
        mode: .reverse(
            ReverseService(
                server: ReplacedServer(scheme: "http", host: "origin.test", port: 81),
                clientTLS: .authority(name: "us.test"))))

    private func play<Value: Sendable>(
        pieces: Int = .max, _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try Playbook.play(pieceByteCount: pieces, at: Self.listener, script)
    }

    @Test(arguments: [1, .max])
    func `plain HTTP to a TLS reverse listener gets a 400 with an https URL and is recorded`(
        pieces: Int
    ) throws {
        let outcome = try play(pieces: pieces) { book in
            book.requests("GET / HTTP/1.1\r\nHost: us.test\r\n\r\n")
            return book.outcome
        }
        #expect(outcome.isRefused(400))
        #expect(outcome.client.contains("https://"))
        #expect(outcome.rows.map(\.status) == [400])
        #expect(outcome.rows.map(\.failure?.kind) == [.malformedRequest])
    }

    @Test
    func `bytes that are neither TLS nor HTTP close the connection to a TLS reverse listener`()
        throws
    {
        let outcome = try play { book in
            book.clientSends([0, 1, 2, 3])
            return book.outcome
        }
        #expect(outcome.client.isEmpty)
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.map(\.failure?.kind) == [.malformedRequest])
    }

    @Test(arguments: [1, .max])
    func `the proxy itself answers a ClientHello to a TLS reverse listener`(pieces: Int) throws {
        let written = try Playbook.play(pieceByteCount: pieces, at: Self.listener) { book in
            // OpenSSL refuses this hello, which offers no group, and says so in an alert.
            book.clientSends(TunnelProtocolTests.hello("named.test"))
        } then: { book, _ in
            book.client.written
        }
        #expect(written.first == 0x15 || written.first == 0x16)
    }

    @Test
    func `a TLS reverse listener records an incomplete ClientHello on timeout or disconnect`()
        throws
    {
        let half = Array(TunnelProtocolTests.hello("named.test").prefix(20))
        let endings: [(ExchangeFailure.Kind, @Sendable (Playbook) -> Void)] = [
            (.tlsHandshake, { $0.passes(seconds: 11) }), (.closedEarly, { $0.clientEnds() }),
            (.closedEarly, { $0.clientBreaks() }),
            (.shutdown, { $0.proxy.clients.terminateAll() }),
        ]
        for (kind, end) in endings {
            let (early, rows, count) = try play { book in
                book.clientSends(half)
                book.passes(seconds: 9)
                let early = book.client.ending
                end(book)
                return (early, book.sink.rows, book.proxy.clients.count)
            }
            #expect(early == nil)
            #expect(rows.map(\.failure?.kind) == [kind])
            #expect(count == 0)
        }
    }

    @Test func `a connection to a TLS reverse listener is not recorded if it sends nothing`() throws
    {
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
}
