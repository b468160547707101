import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Messages in bodies are told while their exchange goes on, and nothing waits for its end.
struct BodyMessageTests {
    private static let eventStream =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    /// What the messages say, by the bodies that were recorded.
    private static func contents(_ row: RecordingSink.Recorded) -> [[UInt8]] {
        row.messages.map { message in
            guard case .body(let range) = message.content else { return [] }
            let body = message.direction == .toServer ? row.requestBody : row.responseBody
            return Array(body.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }
    }

    private static func texts(_ row: RecordingSink.Recorded) -> [String] {
        contents(row).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [1, 7, .max])
    func `server-sent events are forwarded as they arrive, and each complete event is recorded`(
        piece: Int
    ) throws {
        let (did, row) = try Playbook.play(pieceByteCount: piece) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends(Self.eventStream)
            _ = book.did()
            book.serverSends(Self.chunk("data: a\n\ndata"))
            let did = book.did().joined()
            book.serverSends(Self.chunk(": b\n\n: end\n\ndata: c"))
            book.serverSends("0\r\n\r\n")
            return (did, book.sink.rows[0])
        }
        #expect(did.hasPrefix("client <"))
        if piece == .max { #expect(did.contains("data: a")) }
        #expect(row.state == .complete)
        #expect(Self.texts(row) == ["data: a", "data: b", ": end", "data: c"])
        #expect(row.messages.map(\.kind) == [.event, .event, .comment, .event])
        #expect(row.messages.map(\.flags) == [[], [], [], .unfinished])
        #expect(row.messages.map(\.position) == [0, 1, 2, 3])
        #expect(row.messages.allSatisfy { $0.direction == .toClient })
        #expect(row.messages.map(\.offsetNs) == row.messages.map(\.offsetNs).sorted())
    }

    @Test
    func `messages past the recorded part of a body are marked as cut and keep their full length`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.bodyCaptureByteCountMax = 12
        let row = try Playbook.play(configuration: configuration) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends(Self.eventStream)
            book.serverSends(Self.chunk("data: a\n\ndata: b\n\ndata: c\n\n") + "0\r\n\r\n")
            return book.sink.rows[0]
        }
        #expect(Self.texts(row) == ["data: a", "dat", ""])
        #expect(row.messages.map(\.flags) == [[], .cut, .cut])
        #expect(row.messages.map(\.byteCount) == [7, 7, 7])
    }

    @Test
    func `an event cut off by a client disconnect is recorded as unfinished but not as invalid`()
        throws
    {
        let row = try Playbook.play { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends(Self.eventStream + Self.chunk("data: a"))
            book.clientBreaks()
            return book.sink.rows[0]
        }
        #expect(row.state == .failed)
        #expect(row.messages.map(\.flags) == [.unfinished])
        #expect(row.messages.map(\.problem) == [nil])
    }

    @Test func `bodies that are neither event streams nor gRPC are not split into messages`() throws
    {
        let rows = try Playbook.play { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 9\r\n\r\ndata: a\n\n")
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndata: a\n\n")
            return book.sink.rows
        }
        #expect(rows.map(\.state) == [.complete])
        #expect(rows.map(\.messages) == [[]])
    }

    @Test
    func `the gRPC status of a gRPC-Web response over HTTP/1 is read from its trailer message`()
        throws
    {
        let row = try Playbook.play { book in
            book.clientSends(
                "POST http://h/a.B/C HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc-web\r\n"
                    + "Content-Length: 7\r\n\r\n\0\0\0\0\u{2}hi")
            book.connects()
            let trailers = "grpc-status:7\r\n"
            book.servers[0].receive(
                Array("HTTP/1.1 200 OK\r\nContent-Type: application/grpc-web\r\n".utf8)
                    + Array("Content-Length: 28\r\n\r\n\0\0\0\0\u{3}abc".utf8)
                    + [0x80, 0, 0, 0, 15] + Array(trailers.utf8), pieceByteCount: 5)
            return book.sink.rows[0]
        }
        #expect(row.state == .complete)
        #expect(Self.texts(row) == ["hi", "abc", "grpc-status:7\r\n"])
        #expect(row.messages.map(\.kind) == [.grpc, .grpc, .trailers])
        #expect(row.grpcStatus == 7)
    }

    // MARK: HTTP/2

    private struct Outcome: Sendable {
        var client: [String] = []
        var server: [String] = []
        var row: RecordingSink.Recorded?

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            server = scene.server.got()
            row = scene.book.sink.rows.first
        }
    }

    private static let type = [(name: "content-type", value: "application/grpc")]
    private static let call: HTTP2Scene.Step = {
        $0.client.request(.post, "/a.B/C", body: .chunked, type)
    }
    private static let connects: HTTP2Scene.Step = { $0.connects() }

    @Test
    func `gRPC messages in both directions are forwarded and recorded while the call is open`()
        throws
    {
        let steps: [HTTP2Scene.Step] = [
            Self.call, Self.connects,
            { $0.client.send(body: "\0\0\0\0\u{3}one", on: 1) },
            {
                $0.server.respond(1, body: .chunked, Self.type)
                $0.server.send(body: "\0\0\0\0\u{3}ONE", on: 1)
            },
            { $0.client.send(body: "\0\0\0\0\u{3}two\0\0\0", on: 1) },
            { $0.server.send(body: "\0\0\0\0\u{3}TWO\0\0\0\0\0", on: 1) },
        ]
        let running = try HTTP2Scene.play(steps, end: Outcome.init)
        #expect(running.client == ["1 200", "1 \0\0\0\0\u{3}ONE", "1 \0\0\0\0\u{3}TWO\0\0\0\0\0"])
        #expect(
            running.server.dropFirst().prefix(2) == [
                "1 \0\0\0\0\u{3}one", "1 \0\0\0\0\u{3}two\0\0\0",
            ])
        let ended = try HTTP2Scene.play(
            steps + [
                {
                    $0.client.send(body: "\0\u{1}x", on: 1)
                    $0.client.end(1)
                },
                { $0.server.end(1) },
            ], end: Outcome.init)
        let row = try #require(ended.row)
        #expect(row.state == .complete)
        #expect(Self.texts(row) == ["one", "ONE", "two", "TWO", "", "x"])
        #expect(
            row.messages.map(\.direction)
                == [.toServer, .toClient, .toServer, .toClient, .toClient, .toServer])
        #expect(row.messages.allSatisfy { $0.kind == .grpc && $0.flags == [] })
    }

    @Test func `a gRPC message that is cut by a cancelled call is recorded as unfinished`() throws {
        let outcome = try HTTP2Scene.play(
            [
                Self.call, Self.connects,
                { $0.client.send(body: "\0\0\0\0\u{9}half", on: 1) },
                {
                    $0.server.respond(1, body: .chunked, Self.type)
                    $0.server.send(body: "\0\0\0", on: 1)
                },
                { $0.client.reset(1, .cancel) },
            ], end: Outcome.init)
        let row = try #require(outcome.row)
        #expect(row.state == .failed)
        #expect(row.messages.map(\.kind) == [.grpc, .invalid])
        #expect(row.messages.map(\.flags) == [.unfinished, .unfinished])
        #expect(Self.contents(row) == [Array("half".utf8), [0, 0, 0]])
        #expect(row.messages.map(\.byteCount) == [4, 3])
    }

    @Test func `a gRPC message that is incomplete when its request ends is recorded as invalid`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                Self.call, Self.connects,
                {
                    $0.client.send(body: "\0\0\0\0\u{9}half", on: 1)
                    $0.client.end(1)
                },
                { $0.server.respond(1, 200, body: .none, Self.type) },
            ], end: Outcome.init)
        let row = try #require(outcome.row)
        #expect(row.messages.map(\.flags) == [[.unfinished, .invalid]])
        #expect(row.messages.map(\.problem) == ["9 bytes were announced, and 4 came"])
    }
}
