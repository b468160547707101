import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Clients that use their tunnel late, or never.
extension ConnectTests {
    @Test func `a request sent in a tunnel a minute after CONNECT is still parsed`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.clientSends("GET /x HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did.first == "server < GET /x HTTP/1.1⏎Host: h:7⏎⏎")
        #expect(rows.map(\.url) == ["http://h:7/x"])
    }

    /// What half a hello and no more leads to: immediately, after a second, and after 20 more.
    private func halfHello(
        _ configuration: EngineConfiguration = EngineConfiguration()
    ) throws -> (did: [[String]], rows: [RecordingSink.Recorded]) {
        try Playbook.play(configuration: configuration) { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            let hello = TunnelProtocolTests.hello("h.example")
            book.clientSends(Array(hello[..<50]))
            book.passes(seconds: 1)
            let waiting = book.did()
            book.passes(seconds: 20)
            return ([waiting, book.did().map { String($0.prefix(8)) }], book.sink.rows)
        }
    }

    @Test func `a tunnel fails if its ClientHello is still incomplete at the handshake timeout`()
        throws
    {
        let (did, rows) = try halfHello()
        #expect(did[0] == [])
        #expect(!did[1].contains("server <"))
        #expect(rows.map(\.state) == [.failed])
        #expect(
            rows.first?.failure?.message
                == "the client began a TLS handshake and did not complete its hello in time")
    }

    @Test func `an incomplete ClientHello to a passed-through host is relayed after one second`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.interception = { _, _ in .passThrough }
        let (did, _) = try halfHello(configuration)
        #expect(did[0].first?.hasPrefix("server < \u{16}") == true)
        #expect(did[1] == [])
    }

    @Test
    func `text of an unrecognized protocol in a CONNECT tunnel is relayed after one second`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.clientSends("PING\r\n")
            let first = book.did()
            book.passes(seconds: 1)
            return [first, book.did()]
        }
        #expect(did == [[], ["server < PING⏎"]])
    }

    @Test
    func `a CONNECT tunnel whose server speaks first, even after a minute, is relayed unparsed`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.serverSends("220 ready\r\n")
            book.clientSends("GET / HTTP/1.1\r\n\r\n")
            return book.did()
        }
        #expect(did == ["client < 220 ready⏎", "server < GET / HTTP/1.1⏎⏎"])
    }

    @Test
    func `a CONNECT tunnel that the client closes without using it is recorded without a failure`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.clientEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["server closed", "client closed"])
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.first?.failure == nil)
    }

    @Test func `an unused CONNECT tunnel is closed when the proxy shuts down`() throws {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.proxy.clients.drainAll()
            return book.did()
        }
        #expect(did == ["server closed", "client closed"])
    }
}
