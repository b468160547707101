import ProxydHTTPWire
import Testing

struct EventStreamDecoderTests {
    @Test
    func `an event without an ID gets the last event ID of its stream, however input is split`()
        throws
    {
        let stream =
            "\u{FEFF}retry: 10\n\n: hi\nid: 1\nevent: a\ndata: x\n: c\ndata: y\n\n"
            + "data: z\r\n\r\nid\r\rdata: w\n\nid: 9\ndata: never"
        for pieces in Cuts.everyWay(Array(stream.utf8)) {
            var decoder = EventStreamDecoder()
            var events: [ServerSentEvent] = []
            for piece in pieces { try decoder.receive(piece.span, into: &events) }
            decoder.finish()
            #expect(events.map(\.text) == ["x\ny", "z", "w"])
            #expect(events.map(\.id) == ["1", "1", nil])
            #expect(events.map(\.event) == ["a", nil, nil])
            #expect(decoder.retryMs == 10)
            #expect(decoder.lastEventID == "")
        }
    }

    @Test func `the last event ID of a previous connection applies until the stream sends another`()
        throws
    {
        var decoder = EventStreamDecoder(lastEventID: "7")
        var events: [ServerSentEvent] = []
        try decoder.receive(Array("data: a\n\nid: 8\n\n".utf8).span, into: &events)
        #expect(events.map(\.id) == ["7"])
        #expect(decoder.lastEventID == "8")
    }

    @Test
    func `if an event stream ends within an event, its retry field applies but its ID does not`()
        throws
    {
        var decoder = EventStreamDecoder()
        var events: [ServerSentEvent] = []
        try decoder.receive(Array("retry: 5\nid: 3\nretry: 6".utf8).span, into: &events)
        decoder.finish()
        #expect(decoder.retryMs == 5)
        #expect(decoder.lastEventID == "")
        #expect(events.isEmpty)
    }

    @Test
    func `an oversized event makes the event stream decoder fail after delivering earlier ones`() {
        let stream = Array(("data: a\n\ndata: " + String(repeating: "b", count: 30)).utf8)
        for pieces in Cuts.everyWay(stream + Array("\n\n".utf8)) {
            var decoder = EventStreamDecoder(eventByteCountMax: 20)
            var events: [ServerSentEvent] = []
            #expect(throws: EventStreamDecoder.Failure.eventTooLarge(byteCountMax: 20)) {
                for piece in pieces { try decoder.receive(piece.span, into: &events) }
            }
            #expect(events.map(\.text) == ["a"])
        }
    }

    @Test func `comments in an event stream do not count towards the size limit of a later event`()
        throws
    {
        var decoder = EventStreamDecoder(eventByteCountMax: 16)
        var events: [ServerSentEvent] = []
        for _ in 0..<1_000 { try decoder.receive(Array(": hi\n\n".utf8).span, into: &events) }
        try decoder.receive(Array("data: a\n\n".utf8).span, into: &events)
        #expect(events.map(\.text) == ["a"])
    }
}
