import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

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
