import ProxydHTTPWire
import Testing

struct ServerSentEventTests {
    @Test
    func `data lines of an event are joined with LF, and one space after the colon is dropped`() {
        #expect(read("data: a\ndata:b\r\ndata:  c\rdata").text == "a\nb\n c\n")
        #expect(read("data").data == [])
        #expect(read("data:").data == [])
        #expect(read("id: 1").data == nil)
        #expect(read("data: a:b").text == "a:b")
    }

    @Test
    func `the last event or id field of an event wins, even if its value is empty`() {
        #expect(read("event: a\nevent: b").event == "b")
        #expect(read("event: a\nevent").event == nil)
        #expect(read("id: 1\nid").id == "")
        #expect(read("id:1").id == "1")
        #expect(read("data: 1").id == nil)
    }

    @Test func `an event ID that contains NUL is ignored`() {
        #expect(read("id: 1\nid: 2\03").id == "1")
    }

    @Test func `a retry field must be all digits, and a value that is too large is clamped`() {
        #expect(read("retry: 3000").retryMs == 3000)
        #expect(read("retry: 3000\nretry: 1s").retryMs == 3000)
        for value in ["-1", "+1", "1.5", "1 ", " 1", "", "0x10", "1e3", "\u{0663}"] {
            #expect(read("retry: " + value).retryMs == nil, "\(value)")
        }
        #expect(read("retry: 9223372036854775807").retryMs == .max)
        #expect(read("retry: 99999999999999999999999999").retryMs == .max)
    }

    @Test func `event field names must match exactly, and unknown fields are ignored`() {
        #expect(read("Data: a\n data: b\ndata : c\ndataset: d\n\0data: e") == ServerSentEvent())
    }

    @Test func `comments inside an event are kept apart from its fields`() {
        let event = read(": one\ndata: a\n:two")
        #expect(event.comment == "one\ntwo")
        #expect(event.text == "a")
        #expect(read(":").comment == "")
    }

    @Test func `invalid UTF-8 stays unchanged in an event's data but is replaced in its type`() {
        let event = ServerSentEvent(
            lines: (Array("event: ".utf8) + [0xFF, 0x0A]
                + Array("data: ".utf8) + [0xFF]).span)
        #expect(event.event == "\u{FFFD}")
        #expect(event.data == [0xFF])
    }

    private func read(_ lines: String) -> ServerSentEvent {
        ServerSentEvent(lines: Array(lines.utf8).span)
    }
}

struct EventStreamDecoderTests {
    @Test
    func `an event without an ID has the last event ID of its stream, however the input is split`()
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
    func `an event cut off by the end of its stream sets the retry time but not the event ID`()
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

struct EventStreamScannerTests {
    /// What a stream is made of: kind and text, with a mark behind what is unfinished.
    static let streams: [(stream: String, items: [String])] = [
        ("", []),
        ("\n\n\n", []),
        ("data: a\n\n", ["event data: a"]),
        ("data: a\r\rdata: b\r\r", ["event data: a", "event data: b"]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", ["event data: a", "event data: b"]),
        ("data: a\r\ndata: b\rdata: c\n\r\n", ["event data: a\r\ndata: b\rdata: c"]),
        ("data: a\n\r", ["event data: a"]),
        ("data\n\n", ["event data"]),
        ("data\n\ndata\ndata\n\ndata:", ["event data", "event data\ndata", "event data:!"]),
        (":\n", ["comment :"]),
        (": one\r\ndata: a\n\n", ["comment : one", "event data: a"]),
        ("data: a\n: in\ndata: b\n\n", ["comment : in", "event data: a\n: in\ndata: b"]),
        ("\u{FEFF}data: a\n\n", ["event data: a"]),
        ("\u{FEFF}\u{FEFF}data: a\n\n", ["fields \u{FEFF}data: a"]),
        ("id: 1\nretry: 5\n\n", ["fields id: 1\nretry: 5"]),
        ("event: ping\n\n", ["fields event: ping"]),
        ("Data: a\n\n", ["fields Data: a"]),
        ("\0data: a\n\n", ["fields \0data: a"]),
        ("datas: a\n\n", ["fields datas: a"]),
        (" data: a\n\n", ["fields  data: a"]),
        ("data : a\n\n", ["fields data : a"]),
        ("data: a\t\u{7F}\0:\n\n", ["event data: a\t\u{7F}\0:"]),
        ("data: a\n", ["event data: a!"]),
        ("data: a\nid: 1", ["event data: a\nid: 1!"]),
        ("data: a\r", ["event data: a!"]),
        ("dat", ["fields dat!"]),
        ("data", ["event data!"]),
        (": a", ["comment : a!"]),
        ("data: a\n: b", ["event data: a\n: b!"]),
        ("\u{FEFF}", []),
    ]

    @Test(arguments: streams)
    func `the event stream scanner finds events with any line endings, wherever the input is split`(
        _ stream: String, _ items: [String]
    ) {
        let bytes = Array(stream.utf8)
        for pieces in Cuts.everyWay(bytes) {
            #expect(scan(pieces).map { describe($0, bytes) } == items, "cut as \(pieces)")
        }
    }

    @Test
    func `an incomplete byte order mark at the start of an event stream is part of a field name`() {
        for stream: [UInt8] in [[0xEF, 0xBB, 0x61, 0x0A, 0x0A], [0xEF, 0x0A, 0x0A]] {
            for pieces in Cuts.everyWay(stream) {
                let items = scan(pieces)
                #expect(items.map(\.kind) == [.fields])
                #expect(items.first?.range == 0..<Int64(stream.count - 2))
            }
        }
        #expect(scan([[0xEF, 0xBB]]).map(\.range) == [0..<2])
    }

    @Test func `the event stream scanner reports which known fields each event has`() {
        let items = scan([Array("event: a\nid\ndata: 1\nretry: 3\n\n: c\n\nid: 2\n\n".utf8)])
        #expect(items.map(\.fields) == [[.event, .id, .data, .retry], [], [.id]])
    }

    @Test func `the event stream scanner reads a line of 100 MiB as one event`() {
        var scanner = EventStreamScanner()
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        var found: [EventStreamItem] = []
        func feed(_ bytes: [UInt8]) {
            var offset = 0
            while let item = scanner.next(in: bytes.span, from: &offset) { found.append(item) }
        }
        feed(Array("data: ".utf8))
        for _ in 0..<100 { feed(piece) }
        #expect(found.isEmpty)
        feed(Array("\n\n".utf8))
        #expect(found.map(\.range) == [0..<(100 << 20) + 6])
    }

    private func scan(_ pieces: [[UInt8]]) -> [EventStreamItem] {
        var scanner = EventStreamScanner()
        var items: [EventStreamItem] = []
        for piece in pieces {
            var offset = 0
            while let item = scanner.next(in: piece.span, from: &offset) { items.append(item) }
        }
        if let item = scanner.finish() { items.append(item) }
        return items
    }

    private func describe(_ item: EventStreamItem, _ bytes: [UInt8]) -> String {
        let text = String(
            decoding: bytes[Int(item.range.lowerBound)..<Int(item.range.upperBound)], as: UTF8.self)
        return "\(item.kind) \(text)" + (item.isFinished ? "" : "!")
    }
}
