import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// What an actor can do with a switch of protocols: its head is a response's, and no body follows.
struct SwitchActorTests {
    private static let request =
        "GET http://h/chat HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
    private static let response =
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

    /// Plays on where the server has switched, and the actor is asked about it.
    private func play<Value: Sendable>(
        _ actor: ScriptedActor = ScriptedActor([.responseHead]),
        _ script: @escaping @Sendable (Playbook, ScriptedStream) -> Value
    ) throws -> Value {
        try Playbook.play(actor: actor) { book in
            book.clientSends(Self.request)
            let server = book.connects()
            _ = book.did()
            server.receive(Array((Self.response + "early").utf8), pieceByteCount: .max)
            return script(book, server)
        }
    }

    @Test
    func `an interceptor can change the head of a 101, and later bytes wait for its decision`()
        throws
    {
        let actor = ScriptedActor([.responseHead])
        let (held, did, row) = try play(actor) { book, server in
            book.clientSends("from the client")
            let held = book.did()
            if case (var response, let decision)? = actor.responseHeads.first {
                var fields = response.head.fields
                fields.append(name: "X-Rule", value: "1")
                response.head = ResponseHead(status: 101, reason: "S", fields: fields)
                decision.make(.pass(response, .stream))
            }
            server.receive(Array(" later".utf8), pieceByteCount: .max)
            book.recordingTicks()
            return (held, book.did(), book.sink.rows.first)
        }
        #expect(!held.contains { $0.hasPrefix("client <") || $0.hasPrefix("server <") })
        let sent = did.filter { $0.hasPrefix("client <") }.map { $0.dropFirst(9) }.joined()
        #expect(sent == "HTTP/1.1 101 S⏎Connection: Upgrade⏎Upgrade: x⏎X-Rule: 1⏎⏎early later")
        #expect(did.contains("server < from the client"))
        #expect(row?.status == 101 && row?.upgradedTo == "x")
    }

    @Test func `an interceptor that asks for whole bodies gets an empty body for a 101 response`()
        throws
    {
        let actor = ScriptedActor(wholeByteCountMax: 100)
        let did = try play(actor) { book, _ in book.did() }
        #expect(actor.responseBodies.first?.0 == [])
        #expect(did.joined().contains("101 S⏎Connection: Upgrade⏎Upgrade: x⏎⏎"))
    }

    @Test(arguments: [true, false])
    func `replacing a 101 with another response ends the server connection`(
        isAnswer: Bool
    ) throws {
        let actor = ScriptedActor([.responseHead])
        let (did, row) = try play(actor) { book, _ in
            if case (var response, let decision)? = actor.responseHeads.first {
                let head = ResponseHead(
                    status: 403, reason: "Forbidden", fields: response.head.fields)
                if isAnswer {
                    decision.make(.answer(ExchangeAnswer(head: head)))
                } else {
                    response.head = head
                    decision.make(.pass(response, .stream))
                }
            }
            return (book.did(), book.sink.rows.first)
        }
        #expect(did.contains("server aborted"))
        #expect(did.contains("client < HTTP/1.1 403 Forbidden⏎Content-Length: 0⏎⏎"), "\(did)")
        #expect(row?.state == .complete)
        #expect(row?.status == 101 && row?.upgradedTo == nil)
    }

    @Test func `a client disconnect while a 101 is held closes the server connection`() throws {
        let (did, row) = try play { book, _ in
            book.clientBreaks()
            return (book.did(), book.sink.rows.first)
        }
        #expect(did.contains("server aborted"))
        #expect(row?.state == .failed)
        #expect(row?.failure?.origin == .client)
    }

    @Test func `if the server disconnects while its 101 is held, the client gets a 502`() throws {
        let actor = ScriptedActor([.responseHead])
        let (did, row) = try play(actor) { book, server in
            server.fail()
            if let (response, decision) = actor.responseHeads.first {
                decision.make(.pass(response, .stream))
            }
            return (book.did(), book.sink.rows.first)
        }
        #expect(did.contains { $0.hasPrefix("client < HTTP/1.1 502 ") }, "\(did)")
        #expect(row?.failure?.kind == .closedEarly)
    }
}
