import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTransport
import Testing

@testable import ProxydProxyEngine

/// What an actor can do with an exchange in each phase, and that nothing of it is lost.
struct ActorTests {
    private static let get = "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let upload =
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let forwarded = "server < GET /a HTTP/1.1⏎Host: h⏎⏎"
    private static let answered = "client < HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎hello"

    /// What was connected to and sent; a body that waits for its server pauses the client too.
    private static func sent(_ did: [String]) -> [String] {
        did.filter { !$0.hasPrefix("client paused") && !$0.hasPrefix("client resumed") }
    }

    @Test
    func `an interceptor that passes every message is called in each phase and alters nothing`()
        throws
    {
        let actor = ScriptedActor()
        let (did, asked) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends(Self.answer)
            return (book.did(), actor.asked)
        }
        #expect(did == ["connect h:80", Self.forwarded, Self.answered])
        #expect(asked == [.connect, .requestHead, .responseHead])
        #expect(actor.endedCount == 1)
    }

    @Test(arguments: [1, 7, Int.max])
    func `an interceptor that wants whole bodies gets the request body before the proxy connects`(
        pieceByteCount: Int
    ) throws {
        let actor = ScriptedActor(wholeByteCountMax: 100)
        let did = try Playbook.play(pieceByteCount: pieceByteCount, actor: actor) { book in
            book.clientSends(Self.upload + "body12")
            book.connects()
            book.serverSends(Self.answer)
            return Self.sent(book.did())
        }
        #expect(
            did == [
                "connect h:80", "server < POST / HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎body12",
                Self.answered,
            ])
        #expect(
            actor.asked == [.connect, .requestHead, .requestBody, .responseHead, .responseBody])
        #expect(actor.requestBodies.first?.0 == Array("body12".utf8))
        #expect(actor.responseBodies.first?.0 == Array("hello".utf8))
    }

    @Test(arguments: [ScriptedActor.Phase.connect, .requestHead, .requestBody])
    func `a request can be held in each phase, and no timeout runs meanwhile`(
        phase: ScriptedActor.Phase
    ) throws {
        let actor = ScriptedActor([phase], wholeByteCountMax: 100)
        let (before, after) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.upload + "bo")
            book.clientSends("dy12")
            book.passes(seconds: 100_000)
            let before = book.did()
            switch phase {
            case .connect: actor.connections.first?.1.make(.pass())
            case .requestHead:
                if let (request, decision) = actor.requestHeads.first {
                    decision.make(.pass(request, .stream))
                }
            default:
                if let (_, request, decision) = actor.requestBodies.first {
                    decision.make(.pass(request))
                }
            }
            book.connects()
            return (before, Self.sent(book.did()))
        }
        #expect(before == [])
        #expect(
            after == [
                "connect h:80", "server < POST / HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎body12",
            ])
    }

    @Test(arguments: [ScriptedActor.Phase.responseHead, .responseBody])
    func `while a complete response is held, its server connection returns to the pool`(
        phase: ScriptedActor.Phase
    ) throws {
        let actor = ScriptedActor([phase], wholeByteCountMax: 100)
        let (held, isServerFree, after) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            _ = book.did()
            book.serverSends(Self.answer)
            book.passes(seconds: 100_000)
            let held = book.did()
            let target = ConnectTarget(host: "h", port: 80, tls: nil)
            let isFree = book.proxy.transport.hasIdleConnection(to: target)
            if let (response, decision) = actor.responseHeads.first, phase == .responseHead {
                decision.make(.pass(response, .stream))
            }
            if let (_, response, decision) = actor.responseBodies.first {
                decision.make(.pass(response))
            }
            return (held, isFree, book.did())
        }
        #expect(held == [])
        #expect(isServerFree)
        #expect(after == [Self.answered])
    }

    @Test func `an interceptor can replace the head, URL and body of a request and of a response`()
        throws
    {
        let actor = ScriptedActor(
            [.requestHead, .requestBody, .responseBody], wholeByteCountMax: 100)
        let (did, row) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.upload + "body12")
            if case (var request, let decision)? = actor.requestHeads.first {
                request.head = RequestHead(
                    method: .put, target: Array("/".utf8),
                    fields: HeaderFields([
                        (name: "Host", value: "h"), (name: "Content-Length", value: "6"),
                    ]))
                request.url = RawURL(
                    scheme: "http", host: "other", port: 81, origin: Array("/new".utf8))
                request.options.regeneratesHost = true
                decision.make(.pass(request, .whole(byteCountMax: 100)))
            }
            if let (_, request, decision) = actor.requestBodies.first {
                decision.make(.pass(request, .replaced(Array("longer body".utf8))))
            }
            book.connects()
            book.serverSends(Self.answer)
            if case (_, var response, let decision)? = actor.responseBodies.first {
                response.head = ResponseHead(
                    status: 418, reason: "Teapot", fields: response.head.fields)
                decision.make(.pass(response, .replaced(Array("tea".utf8))))
            }
            return (Self.sent(book.did()), book.sink.rows.first)
        }
        #expect(
            did == [
                "connect other:81",
                "server < PUT /new HTTP/1.1⏎Host: other:81⏎Content-Length: 11⏎⏎longer body",
                "client < HTTP/1.1 418 Teapot⏎Content-Length: 3⏎⏎tea",
            ])
        // The record shows what came, and what was sent on.
        #expect(row?.method == "POST" && row?.status == 200)
        #expect(row?.requestBody == Array("body12".utf8))
        #expect(row?.responseBody == Array("hello".utf8))
        let head = "PUT /new HTTP/1.1\r\nHost: other:81\r\nContent-Length: 11\r\n\r\n"
        #expect(row?.requestHeadSent == Array(head.utf8))
        #expect(row?.requestBodySent == Array("longer body".utf8))
        let sentHead = "HTTP/1.1 418 Teapot\r\nContent-Length: 3\r\n\r\n"
        #expect(row?.responseHeadSent == Array(sentHead.utf8))
        #expect(row?.responseBodySent == Array("tea".utf8))
    }

    @Test
    func `the record of a request whose path an interceptor changed has the head that was sent`()
        throws
    {
        let actor = ScriptedActor([.requestHead])
        let row = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            if case (var request, let decision)? = actor.requestHeads.first {
                request.url = RawURL(
                    scheme: "http", host: "h", port: 80, origin: Array("/new".utf8))
                decision.make(.pass(request, .stream))
            }
            book.connects()
            book.serverSends(Self.answer)
            return book.sink.rows.first
        }
        #expect(row?.requestHeadSent == Array("GET /new HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
    }

    @Test(arguments: [
        ScriptedActor.Phase.connect, .requestHead, .requestBody, .responseHead, .responseBody,
    ])
    func `an interceptor can send its own response in any phase, and the client stays connected`(
        phase: ScriptedActor.Phase
    ) throws {
        let actor = ScriptedActor([phase], wholeByteCountMax: 100)
        let (did, state, next) = try Playbook.play(actor: actor) { book in
            let answer = ExchangeAnswer(
                head: ResponseHead(
                    status: 203, reason: "Mine", fields: HeaderFields([(name: "A", value: "b")])),
                body: Array("mine".utf8))
            book.clientSends(Self.upload + "body12")
            book.connects()
            book.serverSends(Self.answer)
            _ = book.did()
            switch phase {
            case .connect: actor.connections.first?.1.make(.answer(answer))
            case .requestHead: actor.requestHeads.first?.1.make(.answer(answer))
            case .requestBody: actor.requestBodies.first?.2.make(.answer(answer))
            case .responseHead: actor.responseHeads.first?.1.make(.answer(answer))
            case .responseBody: actor.responseBodies.first?.2.make(.answer(answer))
            }
            let did = book.did()
            let state = book.sink.rows.first?.state.rawValue
            book.clientSends(Self.get)
            return (did, state, actor.connections.count)
        }
        #expect(did == ["client < HTTP/1.1 203 Mine⏎A: b⏎Content-Length: 4⏎⏎mine"])
        #expect(state == ExchangeState.complete.rawValue)
        #expect(next == 2)
    }

    @Test
    func `when the client of a held request disconnects, the request fails and is never sent`()
        throws
    {
        let actor = ScriptedActor([.requestHead])
        let (isWanted, row, did) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.clientBreaks()
            let decision = actor.requestHeads.first?.1
            let isWanted = decision?.isWanted
            if let request = actor.requestHeads.first?.0 { decision?.make(.pass(request, .stream)) }
            return (isWanted, book.sink.rows.first?.failure?.message, book.did())
        }
        #expect(isWanted == false)
        #expect(row == ExchangeFailure.clientClosed.message)
        #expect(!did.contains { $0.hasPrefix("connect") })
        #expect(actor.endedCount == 1)
    }

    @Test func `a held request fails soon after its client half-closes the connection`() throws {
        let actor = ScriptedActor([.requestHead])
        let rows = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.clientEnds()
            book.passes(seconds: 1)
            return book.sink.rows.map(\.state.rawValue)
        }
        #expect(rows == [ExchangeState.failed.rawValue])
    }

    @Test func `if the server disconnects while its response is held, the client gets a 502`()
        throws
    {
        let actor = ScriptedActor([.responseHead])
        let (did, row) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            book.serverBreaks()
            return (book.did(), book.sink.rows.first)
        }
        #expect(did.last?.hasPrefix("client < HTTP/1.1 502") == true)
        #expect(row?.state == .failed)
        #expect(actor.responseHeads.first?.1.isWanted == false)
    }

    @Test func `a body too large to be buffered for an interceptor is streamed unchanged`() throws {
        let actor = ScriptedActor(wholeByteCountMax: 3)
        let did = try Playbook.play(pieceByteCount: 2, actor: actor) { book in
            book.clientSends(Self.upload + "body12")
            book.connects()
            book.serverSends(Self.answer)
            return book.did()
        }
        #expect(did.contains { $0.hasSuffix("body12") })
        #expect(did.last == Self.answered)
        #expect(actor.requestBodies.count == 1 && actor.requestBodies.first?.0 == nil)
        #expect(actor.responseBodies.count == 1 && actor.responseBodies.first?.0 == nil)
    }

    @Test
    func `the proxy sends 100 Continue itself when an interceptor wants the whole request body`()
        throws
    {
        let actor = ScriptedActor(wholeByteCountMax: 100)
        let did = try Playbook.play(actor: actor) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 6\r\n\r\n")
            let asked = book.did()
            book.clientSends("body12")
            book.connects()
            return Self.sent(asked + book.did())
        }
        #expect(
            did == [
                "client < HTTP/1.1 100 Continue⏎⏎", "connect h:80",
                "server < POST / HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎body12",
            ])
    }

    @Test
    func `while too much of a held request's body is buffered, its client is paused`()
        throws
    {
        let actor = ScriptedActor([.requestHead])
        let (held, after) = try Playbook.play(actor: actor) { book in
            let byteCount = 5 << 20
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: \(byteCount)\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 300 << 10)
            book.clientSends(piece)
            let held = book.did()
            if let (request, decision) = actor.requestHeads.first { decision.make(.pass(request)) }
            book.connects()
            return (held, book.did().filter { !$0.hasPrefix("server <") })
        }
        #expect(held == ["client paused"])
        #expect(after.contains("client resumed"))
    }

    @Test
    func `a connection is not reused for a request that an interceptor routes to another address`()
        throws
    {
        let actor = ScriptedActor([.connect])
        let targets = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            actor.connections.first?.1.make(.pass())
            book.connects()
            book.serverSends(Self.answer)
            book.clientSends(Self.get)
            let address = SocketAddress(ipv4: 0x7F00_0001, port: 8080)
            actor.connections.last?.1.make(.pass(route: ConnectRoute(address: address)))
            return book.connector.attempts.map(\.target.route?.address?.description)
        }
        #expect(targets == ["127.0.0.1:8080"])
    }

    @Test func `a CONNECT request can be held, answered or redirected to another address`() throws {
        let connect = "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"
        let refused = try Playbook.play(actor: ScriptedActor([.connect])) { book in
            book.clientSends(connect)
            book.passes(seconds: 100_000)
            let head = ResponseHead(status: 403, reason: "No", fields: HeaderFields())
            book.actor?.connections.first?.1.make(.answer(ExchangeAnswer(head: head)))
            return book.did()
        }
        #expect(
            refused == [
                "client < HTTP/1.1 403 No⏎Content-Length: 0⏎Connection: close⏎⏎", "client closed",
            ])
        let led = try Playbook.play(actor: ScriptedActor([.connect])) { book in
            book.clientSends(connect)
            let address = SocketAddress(ipv4: 0x7F00_0001, port: 8443)
            book.actor?.connections.first?.1.make(.pass(route: ConnectRoute(address: address)))
            return book.connector.attempts.map(\.target.route?.address?.description)
        }
        #expect(led == ["127.0.0.1:8443"])
    }

    @Test func `request and response bodies are sent at the speed that a throttle allows`() throws {
        let pace = ScriptedPace()
        let (waiting, after) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            book.clientSends(Self.upload + "body12")
            book.connects()
            let waiting = book.did()
            pace.step(byteCount: 4)
            let part = book.did()
            pace.step()
            book.serverSends(Self.answer)
            let head = book.did()
            pace.step()
            return (waiting, part + head + book.did())
        }
        #expect(
            waiting == [
                "connect h:80", "server < POST / HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎",
            ])
        #expect(
            after == [
                "server < body", "server < 12", "client < HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎",
                "client < hello",
            ])
    }
}

/// An actor that answers as soon as it is asked.
struct AnsweringActorTests {
    private static let get = "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let answer = "HTTP/1.1 204 No Content⏎⏎"

    /// Answers 204.
    private static var actor: ScriptedActor {
        let head = ResponseHead(status: 204, reason: "No Content", fields: HeaderFields())
        return ScriptedActor(answer: ExchangeAnswer(head: head))
    }

    @Test(arguments: [1, 7, Int.max])
    func `an interceptor's response to a request without a body keeps the client connection open`(
        pieceByteCount: Int
    ) throws {
        let (did, rows) = try Playbook.play(
            pieceByteCount: pieceByteCount, actor: Self.actor
        ) { book in
            book.clientSends(Self.get + Self.get)
            return (book.did(), book.sink.rows)
        }
        let sent = did.map { $0.replacing("client < ", with: "") }.joined()
        #expect(sent == Self.answer + Self.answer, "\(did)")
        #expect(rows.map(\.state) == [.complete, .complete])
    }

    @Test
    func `an interceptor's response that precedes the request body closes the client connection`()
        throws
    {
        let did = try Playbook.play(actor: Self.actor) { book in
            book.clientSends("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nbo")
            return book.did()
        }
        #expect(did.first == "client < HTTP/1.1 204 No Content⏎Connection: close⏎⏎", "\(did)")
    }
}
