import ProxydEventLoops
import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Connections that start with a PROXY header, at listeners of each mode.
struct PROXYHeaderReaderTests {
    private static let header = Array(
        "PROXY TCP4 192.0.2.1 198.51.100.1 51234 443\r\n".utf8)
    private static let request = Array("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n".utf8)

    private func listener(_ mode: ListenerMode) -> ServedListener {
        ServedListener(name: "p", mode: mode, expectsPROXYHeader: true)
    }

    private func play<Value: Sendable>(
        pieces: Int = .max, _ mode: ListenerMode = .proxy, isTrusted: Bool = true,
        _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        var configuration = EngineConfiguration()
        configuration.isPROXYHeaderTrusted = { peer, name in
            isTrusted && name == "p" && peer.isLoopback
        }
        return try Playbook.play(
            pieceByteCount: pieces, configuration: configuration, at: listener(mode), script)
    }

    @Test(arguments: [1, 7, .max])
    func `HTTP after a PROXY header is served, and both addresses in the header are recorded`(
        pieces: Int
    ) throws {
        let outcome = try play(pieces: pieces) { book in
            book.clientSends(Self.header + Self.request)
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return book.socksOutcome
        }
        #expect(outcome.servers == ["GET / HTTP/1.1\r\nHost: h\r\n\r\n"])
        #expect(outcome.rows.map(\.status) == [204])
        let client = try #require(outcome.connections.first { $0.side == .client })
        #expect(client.peerAddress == "127.0.0.1:50000")
        #expect(
            client.arrival
                == ConnectionRecord.Arrival(
                    listener: "p", mode: .proxy, originalAddress: "198.51.100.1:443",
                    proxyProtocolPeer: "192.0.2.1:51234"))
    }

    @Test(arguments: ["PROXY UNKNOWN\r\n", "PROXY UNKNOWN ff::1 ff::2 1 2\r\n"])
    func `after a PROXY header without addresses, those of the TCP connection are used`(
        line: String
    )
        throws
    {
        let outcome = try play { book in
            book.clientSends(Array(line.utf8) + Self.request)
            book.connects()
            return book.socksOutcome
        }
        #expect(outcome.servers == ["GET / HTTP/1.1\r\nHost: h\r\n\r\n"])
        let client = outcome.connections.first { $0.side == .client }
        #expect(client?.arrival == ConnectionRecord.Arrival(listener: "p", mode: .proxy))
    }

    @Test(arguments: [1, .max])
    func `a SOCKS handshake can follow a PROXY header`(pieces: Int) throws {
        let outcome = try play(pieces: pieces, .socks) { book in
            book.clientSends(Self.header + Playbook.socksHandshake)
            book.connects()
            return book.socksOutcome
        }
        #expect(outcome.client == Playbook.socksEstablished)
        #expect(outcome.targets == ["h:80"])
    }

    @Test(arguments: [true, false])
    func `login attempts are attributed to the client address in the PROXY header`(
        isSOCKS: Bool
    ) throws {
        let attempt: [UInt8] =
            isSOCKS
            ? [5, 1, 2, 1, 2, 0x6D, 0x65, 3, 0x70, 0x77, 0x64]
            : Array(
                ("GET http://h/ HTTP/1.1\r\nHost: h\r\n"
                    + "Proxy-Authorization: Basic bWU6cHdk\r\n\r\n").utf8)
        var configuration = EngineConfiguration()
        configuration.isPROXYHeaderTrusted = { _, _ in true }
        for (header, client) in [
            (Self.header, "192.0.2.1:51234"), (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1:50000"),
        ] {
            let authenticator = ScriptedAuthenticator(.rejected)
            try Playbook.play(
                configuration: configuration,
                at: ServedListener(
                    name: Playbook.socks.name, mode: isSOCKS ? .socks : .proxy,
                    expectsPROXYHeader: true),
                authenticator: authenticator
            ) { book in book.clientSends(header + attempt) }
            #expect(authenticator.clients == [client])
        }
    }

    @Test(arguments: [1, .max])
    func `a reverse listener accepts requests after a PROXY header`(pieces: Int) throws {
        let outcome = try play(pieces: pieces, ReverseTests.mode()) { book in
            book.clientSends(Self.header + Array("GET /a HTTP/1.1\r\nHost: us\r\n\r\n".utf8))
            book.connects()
            return book.socksOutcome
        }
        #expect(outcome.servers == ["GET /a HTTP/1.1\r\nHost: origin.test:81\r\n\r\n"])
    }

    @Test(arguments: [1, .max])
    func `a PROXY header from an untrusted address closes the connection`(pieces: Int) throws {
        let outcome = try play(pieces: pieces, isTrusted: false) { book in
            book.clientSends(Self.header + Self.request)
            return book.socksOutcome
        }
        #expect(outcome.client.isEmpty)
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.targets.isEmpty)
        #expect(outcome.rows.map(\.failure?.kind) == [.refused])
        let client = outcome.connections.first { $0.side == .client }
        #expect(client?.arrival == ConnectionRecord.Arrival(listener: "p", mode: .proxy))
    }

    @Test(arguments: ["GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "PROXY TCP4 1 2 3 4\r\n", "\n"])
    func `a missing or invalid PROXY header closes the connection`(text: String) throws {
        for pieces in [1, .max] {
            let outcome = try play(pieces: pieces) { book in
                book.clientSends(text)
                return book.socksOutcome
            }
            #expect(outcome.client.isEmpty)
            #expect(outcome.clientEnding == .closed)
            #expect(outcome.targets.isEmpty)
            #expect(outcome.rows.map(\.failure?.kind) == [.malformedRequest])
        }
    }

    @Test
    func `an incomplete PROXY header is recorded on timeout, client disconnect or proxy shutdown`()
        throws
    {
        let endings: [(ExchangeFailure.Kind, @Sendable (Playbook) -> Void)] = [
            (.timedOut, { $0.passes(seconds: 11) }), (.closedEarly, { $0.clientEnds() }),
            (.closedEarly, { $0.clientBreaks() }),
            (.shutdown, { $0.proxy.clients.terminateAll() }),
        ]
        for (kind, end) in endings {
            let (early, rows, count) = try play { book in
                book.clientSends("PROXY TCP4 192.0.2.1")
                book.passes(seconds: 9)
                let early = book.client.ending
                end(book)
                return (early, book.sink.rows, book.proxy.clients.count)
            }
            #expect(early == nil)
            #expect(rows.map(\.failure?.kind) == [kind])
            #expect(rows.map(\.malformed) == [Array("PROXY TCP4 192.0.2.1".utf8)])
            #expect(count == 0)
        }
    }

    @Test
    func `a connection to a PROXY protocol listener is not recorded if it sends nothing`()
        throws
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

    @Test
    func `access to a PROXY protocol listener is decided by the address of the TCP peer`()
        throws
    {
        let ending = try play { book in
            var configuration = book.proxy.settings.configuration
            configuration.isClientAllowed = { peer, _ in peer.ip == "192.0.2.1" }
            book.proxy.settings.configuration = configuration
            let stream = book.accept(
                "other", at: ServedListener(name: "p", expectsPROXYHeader: true))
            return stream.ending
        }
        #expect(ending == .aborted)
    }
}
