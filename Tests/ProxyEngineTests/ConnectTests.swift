import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import Testing

@testable import ProxydProxyEngine

/// CONNECT: the server first, then 200, then a late look at what the client speaks.
struct ConnectTests {
    static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let established = "client < HTTP/1.1 200 Connection established⏎⏎"

    @Test func `the 200 response to CONNECT is sent only after the server connection is made`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            let before = book.did()
            book.connects()
            return [before, book.did()]
        }
        #expect(did == [["connect h:7"], [Self.established]])
    }

    @Test func `a CONNECT to an unreachable server gets a 502 and the connection closes`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect + "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connectFails(.connectionRefused, "refused")
            return (book.did(), book.sink.rows)
        }
        #expect(did.filter { $0.contains("HTTP/1.1 502") }.count == 1)
        #expect(did.last == "client closed")
        #expect(rows.map(\.method) == ["CONNECT"])
        #expect(rows.map(\.state) == [.failed])
    }

    @Test(arguments: [1, 3, .max])
    func `bytes of an unknown protocol in a CONNECT tunnel are relayed and counted`(piece: Int)
        throws
    {
        let (did, rows) = try Playbook.play(pieceByteCount: piece) { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.clientSends([0, 1, 2, 3])
            book.serverSends("answer")
            book.clientEnds()
            book.serverEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(
            did == [
                "server < \u{0}\u{1}\u{2}\u{3}", "client < answer", "server write side ended",
                "client closed", "server closed",
            ])
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.first?.requestByteCount == 4)
        #expect(rows.first?.responseByteCount == 6)
    }

    @Test func `an opaque tunnel is recorded with a tunnel: URL rather than an https: URL`() throws
    {
        let rows = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends([0, 1])
            book.clientEnds()
            book.serverEnds()
            return book.sink.rows
        }
        #expect(rows.map(\.url) == ["tunnel://h:7"])
        #expect(rows.map(\.status) == [200])
    }

    @Test
    func `if a client aborts the TLS handshake, the recorded failure suggests proxyctl ca doctor`()
        throws
    {
        let rows = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends(TunnelProtocolTests.hello("h"))
        } then: { book, _ in
            book.clientEnds()
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.map(\.status) == [nil])
        #expect(rows.map(\.url) == ["tunnel://h:7"])
        #expect(rows.first?.failure?.kind == .tlsHandshake)
        #expect(rows.first?.failure?.message.contains("proxyctl ca doctor") == true)
    }

    @Test
    func `TLS in a tunnel fails if the client half-closed before the server was reached`()
        throws
    {
        let session = try TLSSession(
            client: TLSClientContext(trust: .files([])), policy: TLSPolicy(name: "h"), port: 7)
        try session.startHandshake()
        let hello = session.takeOutput()
        let rows = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.clientSends(hello)
            book.clientEnds()
            book.connects()
        } then: { book, _ in
            book.sink.rows
        }
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.first?.failure?.kind == .tlsHandshake)
    }

    @Test func `a CONNECT tunnel in which the server speaks first is relayed without being parsed`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.serverSends("220 ready\r\n")
            book.clientSends("EHLO x\r\n")
            return book.did()
        }
        #expect(did == ["client < 220 ready⏎", "server < EHLO x⏎"])
    }

    private static let settings = "\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}"

    @Test
    func `if a tunnel's server sends SETTINGS first, HTTP/2 requests still use that connection`()
        throws
    {
        let did = try Playbook.play(
            begin: { $0 },
            steps: [
                { $0.clientSends(Self.connect) },
                { $0.connects() },
                {
                    _ = $0.did()
                    $0.serverSends(Self.settings)
                },
                {
                    #expect($0.did().isEmpty)
                    let client = HTTP2Connection(.client, options: HTTP2Connection.Options(.client))
                    $0.clientSends(Self.request(of: client))
                },
                { _ in },
            ],
            end: { $0.did() })
        // The connection that was made carries the request.
        #expect(did.contains { $0.hasPrefix("server < PRI * HTTP/2.0") })
        #expect(!did.contains { $0.hasPrefix("connect") })
    }

    private static func request(of machine: consuming HTTP2Connection) -> [UInt8] {
        let url = RawURL(scheme: "http", host: "h", port: 7, origin: Array("/".utf8))
        let head = RequestHead(
            method: .get, target: url.origin, version: .http2,
            fields: HeaderFields([(name: "host", value: "h:7")]))
        _ = machine.send(ForwardedRequest(head: head, url: url, body: .none))
        return machine.takeOutput(.max)
    }

    @Test
    func `an HTTP/1 client in a tunnel gets another connection if the server sent HTTP/2 SETTINGS`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.serverSends(Self.settings)
            book.clientSends("GET /x HTTP/1.1\r\nHost: h:7\r\n\r\n")
            return book.did()
        }
        #expect(did == ["server aborted", "connect h:7"])
    }

    @Test
    func `bytes of an unknown protocol are relayed to a server that has already sent SETTINGS`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.serverSends(Self.settings)
            book.clientSends([0, 1, 2, 3])
            return book.did()
        }
        #expect(
            did == [
                "server < \u{0}\u{1}\u{2}\u{3}",
                "client < " + Self.settings,
            ])
    }

    @Test(arguments: [1, .max])
    func `a plain HTTP request in a CONNECT tunnel is parsed and sent on the tunnel's connection`(
        piece: Int
    )
        throws
    {
        let (did, rows) = try Playbook.play(pieceByteCount: piece) { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.clientSends("GET /x HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(
            did == [
                "server < GET /x HTTP/1.1⏎Host: h:7⏎⏎",
                "client < HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎",
            ])
        #expect(rows.map(\.url) == ["http://h:7/x"])
    }

    @Test func `malformed HTTP in a CONNECT tunnel gets a 400 and is not relayed`() throws {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            _ = book.did()
            book.clientSends("GET / HTTP/1.1\r\nHost : h\r\n\r\n")
            return book.did()
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 400 ") == true)
        #expect(!did.contains { $0.hasPrefix("server <") })
    }

    @Test(arguments: [
        "GET\n", "GET /\n\n", "GET / HTTP/1.1\nHost: h\n\n", "get / http/1.1\r\n\r\n",
        "FOO\n/x HTTP/1.1\r\nHost: x\r\n\r\n", "FOO /x\r\nHost: x\r\n\r\n",
    ])
    func `malformed text that resembles HTTP in a CONNECT tunnel gets a 400 and is recorded`(
        request: String
    )
        throws
    {
        let outcome = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends(request)
            return book.outcome
        }
        #expect(outcome.client.contains("HTTP/1.1 400 Bad Request\r\n"))
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.server.isEmpty)
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.rows.first?.malformed?.isEmpty == false)
    }

    @Test
    func `a request in a CONNECT tunnel is parsed even if it arrives in two parts with a pause`()
        throws
    {
        let rows = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("GE")
            book.passes(seconds: 1)
            book.clientSends("T /x HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.answers(Playbook.noContent)
            return book.sink.rows
        }
        #expect(rows.map(\.url) == ["http://h:7/x"])
    }

    @Test(arguments: [
        ("FOO", " /x HTTP/1.1"), ("get", " /x HTTP/1.1"), ("FOO /x", " HTTP/1.1"),
        ("FOO /x HT", "TP/1.1"), ("\nFOO\n/x", " HTTP/1.1"),
    ])
    func `a request that pauses partway in a CONNECT tunnel is not relayed as opaque data`(
        begun: String, rest: String
    ) throws {
        let rows = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends(begun)
            book.passes(seconds: 1)
            book.clientSends(rest + "\r\nHost: h:7\r\n\r\n")
            if !begun.contains("\n") { book.answers(Playbook.noContent) }
            return book.sink.rows
        }
        #expect(rows.count == 1)
        #expect(rows.first?.url?.hasPrefix("tunnel") != true)
    }

    @Test(arguments: ["G", "FOO", "FOO /x"])
    func `a client that sends only the beginning of a request in a CONNECT tunnel gets a 408`(
        begun: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends(begun)
            for seconds in [1, 60, 60] as [Int64] { book.passes(seconds: seconds) }
            return book.outcome
        }
        #expect(outcome.client.contains("HTTP/1.1 408 "))
        #expect(outcome.server.isEmpty)
        #expect(outcome.rows.map(\.status) == [408])
    }

    @Test
    func `a word in a CONNECT tunnel that cannot begin a request is relayed after one second`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("ruok")
            _ = book.did()
            book.passes(seconds: 1)
            return book.did()
        }
        #expect(did == ["server < ruok"])
    }

    @Test
    func `text in a CONNECT tunnel to a passed-through host is relayed after a one-second wait`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.interception = { _, _ in .passThrough }
        let did = try Playbook.play(configuration: configuration) { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("ruok")
            _ = book.did()
            book.passes(seconds: 1)
            return book.did()
        }
        #expect(did == ["server < ruok"])
    }

    @Test(arguments: ["", "GET /x HTTP/1.1\r\nHost: h:7\r\n\r\n", "\u{1}\u{2}"])
    func `bytes that a client sent after CONNECT before half-closing are delivered`(early: String)
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends(Self.connect + early)
            book.clientEnds()
            _ = book.did()
            book.connects()
            return book.did()
        }
        if early.isEmpty {
            #expect(did.isEmpty)
        } else {
            #expect(did.first == Self.established)
            #expect(did.contains { $0.hasPrefix("server < ") })
            #expect(!did.contains { $0.hasPrefix("client ") && $0.hasSuffix("ed") })
        }
    }

    @Test
    func `if the server of a tunnel resets its connection, the client connection is reset, too`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends([0, 1])
            book.serverSends("half")
            _ = book.did()
            book.serverBreaks()
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["client aborted"])
        #expect(rows.first?.state == .tunnel)
        #expect(rows.first?.failure?.origin == .upstream)
    }

    @Test func `a CONNECT to a port that is not allowed is rejected with 403`() throws {
        var configuration = EngineConfiguration()
        configuration.isConnectPortAllowed = { $0 == 443 }
        let did = try Playbook.play(configuration: configuration) { book in
            book.clientSends(Self.connect)
            return book.did()
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 403 ") == true)
        #expect(did.last == "client closed")
    }

    @Test
    func `a client disconnect during CONNECT cancels the connection attempt and is recorded`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            _ = book.did()
            book.clientEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["connect cancelled", "client aborted"])
        #expect(rows.map(\.state) == [.failed])
    }
}
