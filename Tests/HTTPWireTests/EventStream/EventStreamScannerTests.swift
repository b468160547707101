import ProxydHTTPWire
import Testing

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
