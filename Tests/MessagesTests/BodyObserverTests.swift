import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import Testing

struct BodyObserverTests {
    @Test func `messages are recorded only from gRPC bodies and from event streams in responses`() {
        for type in ["text/html", "application/json", "text/event-streams", "application/grpcx"] {
            #expect(BodyObserver(response: Observed.response(type)) == nil)
            #expect(BodyObserver(request: Observed.request(type)) == nil)
        }
        #expect(
            BodyObserver(response: ResponseHead(status: 200, reason: "OK", fields: HeaderFields()))
                == nil)
        #expect(BodyObserver(request: Observed.request("text/event-stream")) == nil)
    }

    @Test func `events and comments of an event stream are recorded as parts of its body`() {
        let body =
            ": hi\n\nretry: 5\n\nevent: a\ndata: x\nid: 1\n\nevent: b\n\ndata: y\r\n\r\ndata: z"
        for pieces in Observed.cuts(of: Array(body.utf8)) {
            let observed = Observed(Observed.response("Text/Event-Stream; charset=utf-8"), pieces)
            #expect(
                observed.texts == [
                    ": hi", "retry: 5", "event: a\ndata: x\nid: 1", "event: b", "data: y",
                    "data: z",
                ])
            #expect(
                observed.messages.map(\.kind) == [
                    .comment, .comment, .event, .comment, .event, .event,
                ])
            #expect(observed.messages.map(\.flags) == [[], [], [], [], [], .unfinished])
            #expect(observed.messages.compactMap(\.problem).count == 2)
            #expect(observed.messages.allSatisfy { $0.direction == .toClient })
        }
    }

    @Test
    func `an unfinished event is not reported as a problem if its event stream was cut short`() {
        let observed = Observed(
            Observed.response("text/event-stream"), [Array("data: z".utf8)], isCutShort: true)
        #expect(observed.messages.map(\.flags) == [.unfinished])
        #expect(observed.messages.map(\.problem) == [nil])
    }

    @Test(arguments: [ContentEncoder.Coding.gzip, .deflate])
    func `an event stream in gzip or deflate is decoded, however it is split`(
        _ coding: ContentEncoder.Coding
    )
        throws
    {
        let body = Array("data: one\n\ndata: two\n\n".utf8)
        let coded = try ContentEncoder.encode(body.span, as: coding)
        for pieces in Observed.cuts(of: coded) {
            let head = Observed.response(
                "text/event-stream", ("Content-Encoding", "\(coding)"))
            let observed = Observed(head, pieces, decoded: body)
            #expect(observed.texts == ["data: one", "data: two"])
        }
    }

    @Test
    func `an event that is flushed in a brotli stream is recorded before the next one arrives`() {
        // "data: one" and "data: two", each with its blank line, flushed on their own; the end.
        let pieces: [[UInt8]] = [
            [
                0x0B, 0x05, 0x80, 0x64, 0x61, 0x74, 0x61, 0x3A, 0x20, 0x6F, 0x6E, 0x65, 0x0A, 0x0A,
            ],
            [
                0x50, 0x00, 0x80, 0x5F, 0x5A, 0xE1, 0x8D, 0xEE, 0x4E, 0x11, 0xA2, 0x4A, 0x04, 0x60,
                0x0B,
            ],
            [0x03],
        ]
        let observer = BodyObserver(
            response: Observed.response("text/event-stream", ("Content-Encoding", "br")))
        var counts: [Int] = []
        var messages: [MessageRecord] = []
        for piece in pieces {
            observer?.receive(piece.span) { messages.append($0) }
            counts.append(messages.count)
        }
        observer?.finish(isCutShort: false) { messages.append($0) }
        #expect(counts == [1, 2, 2])
        #expect(messages.map(\.content) == [.body(0..<9), .body(11..<20)])
    }

    @Test(arguments: ["rot13", "gzip", "br", "deflate", "zstd", "aws-chunked"])
    func `events are recorded even if the event stream is not in its declared content coding`(
        coding: String
    ) {
        for pieceByteCount in [1, 9, 18] {
            let text = Array("data: a\n\ndata: b\n\n".utf8)
            let observed = Observed(
                Observed.response("text/event-stream", ("Content-Encoding", coding)),
                stride(from: 0, to: text.count, by: pieceByteCount).map {
                    Array(text[$0..<min(text.count, $0 + pieceByteCount)])
                })
            #expect(observed.messages.map(\.kind) == [.event, .event])
        }
    }

    @Test func `an event stream whose content coding is broken is recorded as an invalid message`()
    {
        let broken = Observed(
            Observed.response("text/event-stream", ("Content-Encoding", "gzip")),
            [[0x1F, 0x8B] + Array("data: a\n\n".utf8), Array("data: b\n\n".utf8)])
        #expect(broken.messages.map(\.kind) == [.invalid])
    }

    @Test func `a decompression bomb in an event stream is stopped and recorded as invalid`() throws
    {
        let body = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 64 << 20)
        let coded = try ContentEncoder.encode(body.span, as: .gzip)
        let observed = Observed(
            Observed.response("text/event-stream", ("Content-Encoding", "gzip")), [coded])
        #expect(observed.messages.map(\.kind) == [.event, .invalid])
        let byteCount = observed.messages.first?.byteCount ?? 0
        #expect(byteCount <= Int64(coded.count * 200 + (1 << 20)))
        #expect(byteCount > 1 << 20)
    }

    @Test func `server-sent events outside the stored part of a body are recorded as truncated`() {
        let body = Array("data: a\n\ndata: b\n\ndata: c\n\n".utf8)
        let observed = Observed(
            Observed.response("text/event-stream"),
            [Array(body[..<12]), Array(body[12...])], keptPieceCount: 1)
        #expect(observed.messages.map(\.flags) == [[], .cut, .cut])
        #expect(observed.texts == ["data: a", "data: b", "data: c"])
    }
}
