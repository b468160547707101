import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Tunnels that stand without their server, and answers that an actor gives in its place.
struct ServerlessTunnelTests {
    private static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let get = "GET /a HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let refusal = ExchangeAnswer(
        head: ResponseHead(status: 501, reason: "No", fields: HeaderFields()))

    private static func answer(trailers: HeaderFields? = nil) -> ExchangeAnswer {
        ExchangeAnswer(
            head: ResponseHead(status: 200, reason: "OK", fields: HeaderFields()),
            body: Array("hello".utf8), trailers: trailers)
    }

    /// Plays on where a tunnel stands without its server.
    private func play<Value: Sendable>(
        unread: ExchangeAnswer?, configuration: EngineConfiguration = EngineConfiguration(),
        _ script: @escaping @Sendable (Playbook, ScriptedActor) -> Value
    ) throws -> Value {
        let actor = ScriptedActor([.connect, .requestHead])
        return try Playbook.play(configuration: configuration, actor: actor) { book in
            book.clientSends(Self.connect)
            actor.connections.first?.1.make(.withoutServer(unread: unread))
            return script(book, actor)
        }
    }

    @Test
    func `in a tunnel without a server connection, an interceptor can respond to a request`()
        throws
    {
        let did = try play(unread: Self.refusal) { book, actor in
            _ = book.did()
            book.passes(seconds: 1)
            book.clientSends(Self.get)
            actor.requestHeads.first?.1.make(.answer(Self.answer()))
            return book.did()
        }
        #expect(did == ["client < HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎hello"])
    }

    @Test func `in a tunnel without a server connection, forwarding a request opens one`() throws {
        let did = try play(unread: Self.refusal) { book, actor in
            _ = book.did()
            book.clientSends(Self.get)
            if let (request, decision) = actor.requestHeads.first {
                decision.make(.pass(request, .stream))
            }
            book.connects()
            return book.did()
        }
        #expect(did == ["connect h:7", "server < GET /a HTTP/1.1⏎Host: h:7⏎⏎"])
    }

    @Test
    func `in a tunnel without a server connection, an interceptor can refuse or relay raw bytes`()
        throws
    {
        let (cut, rows) = try play(unread: Self.refusal) { book, _ in
            _ = book.did()
            book.clientSends([0])
            return (book.did(), book.sink.rows)
        }
        #expect(cut == ["client closed"])
        #expect(rows.map(\.state) == [.failed])
        let relayed = try play(unread: nil) { book, _ in
            _ = book.did()
            book.clientSends([0])
            book.connects()
            return book.did()
        }
        #expect(relayed.first == "connect h:7")
        #expect(relayed.last?.hasPrefix("server < ") == true, "\(relayed)")
    }

    @Test
    func `a tunnel that has no server connection is refused if its host is not intercepted`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.interception = { _, _ in .passThrough }
        let did = try play(unread: Self.refusal, configuration: configuration) { book, _ in
            book.did()
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 501 No⏎") == true, "\(did)")
        #expect(did.last == "client closed")
    }

    @Test
    func `an interceptor's response with trailers is sent as one chunk; for HEAD, without a body`()
        throws
    {
        let actor = ScriptedActor([.requestHead])
        let did = try Playbook.play(actor: actor) { book in
            book.clientSends("GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n")
            let trailers = HeaderFields([("X-Sum", "1")])
            actor.requestHeads.first?.1.make(.answer(Self.answer(trailers: trailers)))
            book.clientSends("HEAD http://h/a HTTP/1.1\r\nHost: h\r\n\r\n")
            actor.requestHeads.last?.1.make(.answer(Self.answer(trailers: trailers)))
            return book.did()
        }
        #expect(
            did == [
                "client < HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎5⏎hello⏎0⏎X-Sum: 1⏎⏎"
                    + "HTTP/1.1 200 OK⏎⏎"
            ])
    }

    @Test func `while an interceptor's response is throttled, no timeout applies`() throws {
        let pace = ScriptedPace()
        let actor = ScriptedActor([.requestHead], pace: pace)
        let (before, after) = try Playbook.play(actor: actor) { book in
            book.clientSends("GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n")
            actor.requestHeads.first?.1.make(.answer(Self.answer()))
            let before = book.did()
            pace.step(byteCount: 2)
            book.passes(seconds: 100_000)
            pace.step()
            return (before, book.did())
        }
        #expect(before == ["client < HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎"])
        #expect(after == ["client < hello"], "\(after)")
        #expect(actor.endedCount == 1)
    }
}
