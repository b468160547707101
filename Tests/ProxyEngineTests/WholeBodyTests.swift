import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Bodies that an actor wants to see whole, and what becomes of them.
struct WholeBodyTests {
    private static let get = "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private static func upload(byteCount: Int) -> String {
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: \(byteCount)\r\n\r\n"
    }

    @Test func `reading of a body resumes when an interceptor asks for the whole body`() throws {
        let actor = ScriptedActor([.requestHead, .responseHead])
        let (upload, download) = try Playbook.play(actor: actor) { book in
            let piece = [UInt8](repeating: 0x61, count: 300 << 10)
            book.clientSends(Self.upload(byteCount: 600 << 10))
            book.clientSends(piece)
            if let (request, decision) = actor.requestHeads.first {
                decision.make(.pass(request, .whole(byteCountMax: 1 << 20)))
            }
            let upload = book.did()
            book.clientSends(piece)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: \(600 << 10)\r\n\r\n")
            book.servers.last?.receive(piece, pieceByteCount: .max)
            if let (response, decision) = actor.responseHeads.first {
                decision.make(.pass(response, .whole(byteCountMax: 1 << 20)))
            }
            return (upload, book.did())
        }
        #expect(upload == ["client paused", "client resumed"])
        #expect(download == ["server paused", "server resumed"])
    }

    @Test func `a body exactly as long as the interceptor's limit is read without a pause`() throws
    {
        let byteCount = 300 << 10
        let actor = ScriptedActor(wholeByteCountMax: byteCount)
        let (upload, download) = try Playbook.play(actor: actor) { book in
            let text = String(repeating: "a", count: byteCount)
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            book.clientSends(String(byteCount, radix: 16) + "\r\n" + text + "\r\n")
            let upload = book.did()
            book.clientSends("0\r\n\r\n")
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\n\r\n" + text)
            return (upload, book.did())
        }
        #expect(upload == [])
        #expect(download == [])
        #expect(actor.requestBodies.first?.0?.count == byteCount)
    }

    @Test
    func `a body over the memory budget is streamed, and its share of the budget is returned`()
        throws
    {
        let budget = ByteBudget(byteCountMax: 128 << 10)
        let actor = ScriptedActor([.requestHead])
        let piece = [UInt8](repeating: 0x61, count: 100 << 10)
        try Playbook.play(actor: actor) { book in
            book.clientSends(Self.upload(byteCount: 200 << 10))
            if let (request, decision) = actor.requestHeads.first {
                decision.make(.pass(request, .whole(byteCountMax: 1 << 20, budget: budget)))
            }
            book.clientSends(piece)
            #expect(actor.requestBodies.isEmpty)
            #expect(!budget.take(128 << 10))
            book.clientSends(piece)
            book.connects()
        }
        #expect(actor.requestBodies.map { $0.0?.count } == [nil])
        #expect(budget.take(128 << 10))
    }

    @Test(arguments: [
        ("HEAD http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", 200),
        (Self.get, 204), (Self.get, 304),
    ])
    func `an interceptor cannot add a body to a response that must not have one`(
        request: String, status: Int
    ) throws {
        let actor = ScriptedActor([.responseBody], wholeByteCountMax: 100)
        let (did, row) = try Playbook.play(actor: actor) { book in
            book.clientSends(request)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 \(status) R\r\nETag: e\r\n\r\n")
            if let (_, response, decision) = actor.responseBodies.first {
                decision.make(.pass(response, .replaced(Array("smuggled".utf8))))
            }
            return (book.did(), book.sink.rows.first)
        }
        #expect(did == ["client < HTTP/1.1 \(status) R⏎ETag: e⏎⏎"])
        #expect(row?.responseBodySent == [])
    }

    @Test(arguments: [204, 304])
    func `a response that an interceptor changes to 204 or 304 is sent without its body`(
        status: Int
    ) throws {
        let actor = ScriptedActor([.responseHead])
        let (did, row) = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            if case (var response, let decision)? = actor.responseHeads.first {
                response.head = ResponseHead(
                    status: status, reason: "R", fields: HeaderFields([(name: "A", value: "b")]))
                decision.make(.pass(response, .stream))
            }
            book.serverSends("llo")
            return (book.did(), book.sink.rows.first)
        }
        #expect(did == ["client < HTTP/1.1 \(status) R⏎A: b⏎⏎"])
        #expect(row?.state == .complete)
        #expect(row?.responseBody == Array("hello".utf8))
    }

    @Test func `a 204 that an interceptor changes to 200 is sent with an empty body`() throws {
        let actor = ScriptedActor([.responseHead])
        let did = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            if case (var response, let decision)? = actor.responseHeads.first {
                response.head = ResponseHead(status: 200, reason: "OK", fields: HeaderFields())
                decision.make(.pass(response, .stream))
            }
            return book.did()
        }
        #expect(did == ["client < HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"])
    }

    @Test func `a client waiting for 100 Continue gets it even if an interceptor removed Expect`()
        throws
    {
        let actor = ScriptedActor([.requestHead])
        let did = try Playbook.play(actor: actor) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 6\r\n\r\n")
            if case (var request, let decision)? = actor.requestHeads.first {
                request.head = RequestHead(
                    method: .post, target: Array("/".utf8),
                    fields: HeaderFields([(name: "Host", value: "h")]))
                decision.make(.pass(request, .whole(byteCountMax: 100)))
            }
            return book.did()
        }
        #expect(did == ["client < HTTP/1.1 100 Continue⏎⏎"])
    }

    @Test(arguments: [true, false])
    func `the received part of a response is recorded even if the client gets a 502 instead`(
        isWhole: Bool
    ) throws {
        let actor = ScriptedActor(
            isWhole ? [] : [.responseHead], wholeByteCountMax: isWhole ? 100 : nil)
        let row = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            book.serverBreaks()
            return book.sink.rows.first
        }
        #expect(row?.status == 200)
        #expect(row?.responseBody == Array("he".utf8))
        let head = row?.responseHeadSent.map(WireOutcome.text)
        #expect(head?.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n") == true)
        #expect(row?.responseBodySent.isEmpty == false)
        #expect(row?.state == .failed)
    }
}
