import ClientLib
import Dispatch
import Foundation
import ProxydHTTPWire
import Testing

/// WebSockets in the forms that Alamofire has.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketHandlerTests {
    private struct Note: Codable, Sendable, Equatable { let text: String }

    @Test
    func `WebSocket handlers get messages in order on the given queue, and then a completion`()
        async throws
    {
        let texts = ["a", "b", #"{"text":"c"}"#]
        let server = try WebSocketTestServer(
            .init(first: texts.map { .text($0) } + [.close(1_000)]))
        let queue = DispatchQueue(label: "handlers")
        let isOurs = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: isOurs, value: true)
        let (messages, tellMessage) = AsyncStream.makeStream(of: String.self)
        let (notes, tellNote) = AsyncStream.makeStream(of: Note.self)
        let (ends, tellEnd) = AsyncStream.makeStream(of: String.self)
        let session = Session(startRequestsImmediately: false)
        defer { session.shutdown() }
        let socket = session.webSocketRequest(to: server.url)
            .streamMessages(on: queue) { message in
                let isThere = DispatchQueue.getSpecific(key: isOurs) == true
                tellMessage.yield(isThere ? message.string ?? "-" : "another queue")
            }
            .streamDecodable(Note.self) { tellNote.yield($0) }
            .streamMessageEvents(on: queue) { event in
                if let end = event.completion { tellEnd.yield(end.error?.message ?? "ended") }
            }
            .streamDecodableEvents(Note.self) { event in
                if let end = event.completion { tellEnd.yield(end.error?.message ?? "ended") }
            }
        socket.resume()
        var (nextMessage, nextEnd) = (messages.makeAsyncIterator(), ends.makeAsyncIterator())
        for text in texts { #expect(await nextMessage.next() == text) }
        for await note in notes {
            #expect(note == Note(text: "c"))
            break
        }
        for _ in 0..<2 { #expect(await nextEnd.next() == "ended") }
        #expect(socket.closeCode == .normalClosure)
    }

    @Test func `a WebSocket can be closed with a code and with a reason given as bytes`()
        async throws
    {
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(
            performing: HTTPRequest(url: RawURL("http://127.0.0.1:\(server.port)/")),
            configuration: .protocol("chat"))
        try await socket.send("before")
        socket.close(sending: .init(rawValue: 4_000), reason: Data("why".utf8))
        var frames: [WebSocketTestServer.Frame] = []
        for await frame in server.arriving {
            frames.append(frame)
            if frame.opcode == .close { break }
        }
        #expect(frames.map(\.opcode) == [.text, .close])
        let payload = try #require(frames.last?.payload)
        let closing = try WebSocketClosing(payload.span)
        #expect(closing.code == 4_000)
        #expect(closing.reason == "why")
        #expect(server.heads.first?.fields["Sec-WebSocket-Protocol"] == "chat")
    }
}
