import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// Messages in the store: what was recorded is read, counted and removed.
@Suite struct MessageStoreTests {
    private let store = TemporaryStore()

    private func texts(
        _ id: ExchangeID, _ page: MessagePage = .oldest, limit: Int = 1_000,
        byteCountMax: Int = 1 << 20
    ) throws -> [String] {
        try store.reader().messages(of: id, page, limit: limit, byteCountMax: byteCountMax)
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `a stored message is read back as it was recorded`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var first = Samples.message(0, .close, .toClient, bytes: [3, 0xE8])
        first.flags = [.compressed, .fragmented]
        first.wireByteCount = 7
        var second = Samples.message(1, .invalid, .toServer, bytes: [])
        second.problem = "reserved opcode 3"
        second.byteCount = 99
        second.wireByteCount = 103
        recorder.record(Samples.socket(id, [first, second]))
        try recorder.flush()
        let rows = try store.reader().messages(of: id, .oldest, limit: 9, byteCountMax: 99)
        #expect(rows.map(\.kind) == [.close, .invalid])
        #expect(rows.map(\.direction) == [.toClient, .toServer])
        #expect(rows.map(\.bytes) == [[3, 0xE8], []])
        #expect(rows.map(\.flags) == [[.compressed, .fragmented], []])
        #expect(rows.map(\.byteCount) == [2, 99])
        #expect(rows.map(\.wireByteCount) == [7, 103])
        #expect(rows.map(\.problem) == [nil, "reserved opcode 3"])
        #expect(rows.map(\.bodyStart) == [nil, nil])
        #expect(rows.map { $0.atNs - Samples.wallStart } == [0, 1_000])
        recorder.stop()
    }

    @Test func `pages of messages are complete even if the message positions have gaps`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        let positions = [0, 1, 5, 6, 1_000, (1 << 28) - 1] as [Int64]
        recorder.record(
            Samples.socket(id, positions.map { Samples.message($0, "\($0)") }))
        let other = recorder.nextExchangeID()
        recorder.record(Samples.socket(other, [Samples.message(3, "other")]))
        try recorder.flush()
        let names = positions.map { "\($0)" }
        #expect(try texts(id) == names)
        #expect(try texts(id, .newest) == names.reversed())
        #expect(try texts(id, .newest, limit: 2) == [names[5], "1000"])
        #expect(try texts(id, .before(6)) == ["5", "1", "0"])
        #expect(try texts(id, .after(1), limit: 2) == ["5", "6"])
        #expect(try texts(id, .at(5)) == ["5"])
        #expect(try texts(id, .at(4)) == [])
        #expect(try texts(id, .oldest, limit: 0) == [])
        #expect(try texts(id, .oldest, byteCountMax: 2) == ["0", "1", "5", "6", "10", "26"])
        #expect(try texts(id, .after(.max)) == [])
        #expect(try texts(id, .before(.min)) == [])
        let reader = try store.reader()
        #expect(try reader.lastMessagePosition(of: id) == (1 << 28) - 1)
        #expect(try reader.lastMessagePosition(of: ExchangeID(rawValue: 77)) == nil)
        recorder.stop()
    }

    @Test func `paging through messages returns each one once and limits the bytes of a page`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        let messages = (0..<3_000).map { index in
            Samples.message(
                Int64(index), .binary, .toClient,
                bytes: [UInt8](repeating: 1, count: index % 100 == 0 ? 300_000 : 3))
        }
        recorder.record(Samples.socket(id, messages))
        try recorder.flush()
        var found: [Int64] = []
        var longest = 0
        try store.reader().forEachMessagePage(of: id, byteCountMax: 1 << 20) { page in
            found += page.map(\.position)
            longest = max(longest, page.reduce(0) { $0 + $1.bytes.count })
            return true
        }
        #expect(found == messages.map(\.position))
        #expect(longest < 16 << 20)
        recorder.stop()
    }

    @Test(arguments: ["plain", "gzip", "long", "longGzip"])
    func `a message inside a body is read from the body, even if that is compressed or long`(
        kind: String
    )
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        let count = kind.hasPrefix("long") ? 400 : 3
        let events = (0..<count).map { index in
            "data: \(index) \(String(repeating: "x", count: index % 7 * 900))\n\n"
        }
        let isCoded = kind.lowercased().hasSuffix("gzip")
        recorder.record(
            Samples.stream(
                id, events,
                coding: { isCoded ? StoredGzip.encode($0) : $0 }, isCoded: isCoded))
        try recorder.flush()
        #expect(try texts(id) == events)
        #expect(try texts(id, .newest) == events.reversed())
        #expect(try texts(id, .at(2)) == [events[2]])
        #expect(try texts(id, .oldest, limit: 2, byteCountMax: 6) == ["data: ", "data: "])
        let row = try #require(
            try store.reader().messages(of: id, .at(1), limit: 1, byteCountMax: 1 << 20).first)
        #expect(row.bodyStart == Int64(events[0].utf8.count))
        #expect(row.flags.isEmpty)
        recorder.stop()
    }

    @Test func `a message that spans several stored pieces of a body is read whole`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        let long = "data: " + String(repeating: "abcdefg", count: 100_000)
        let events = ["data: a\n\n", long, "data: b\n\n"]
        recorder.record(Samples.stream(id, events))
        try recorder.flush()
        #expect(try texts(id, byteCountMax: 1 << 24) == events)
        #expect(try texts(id, .newest, byteCountMax: 1 << 24) == events.reversed())
        recorder.stop()
    }

    @Test func `a message that continues past the kept part of a body is marked as truncated`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var update = Samples.stream(id, ["data: abc\n\n", "data: def\n\n"])
        update.responseBody.appended.removeLast(8)
        recorder.record(update)
        try recorder.flush()
        let rows = try store.reader().messages(of: id, .oldest, limit: 9, byteCountMax: 99)
        #expect(
            rows.map { String(decoding: $0.bytes, as: UTF8.self) } == ["data: abc\n\n", "dat"])
        #expect(rows.map { $0.flags.contains(.cut) } == [false, true])
        #expect(rows.map(\.byteCount) == [11, 11])
        recorder.stop()
    }

    @Test func `messages can be read and counted while their exchange is still active`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        recorder.record(
            Samples.socket(
                id, [Samples.message(0, "one"), Samples.message(1, .ping, .toClient, "")],
                state: .active))
        try recorder.flush()
        #expect(try texts(id) == ["one", ""])
        #expect(try store.reader().row(id)?.messageCount == 1)
        for position in 2..<5 as Range<Int64> {
            var update = Samples.later(id)
            update.messages = [Samples.message(position, .text, .toClient, "\(position)")]
            recorder.record(update)
        }
        recorder.record(Samples.later(id, .complete))
        try recorder.flush()
        #expect(try texts(id) == ["one", "", "2", "3", "4"])
        let row = try #require(try store.reader().row(id))
        #expect(row.messageCount == 4)
        #expect(row.state == .complete)
        let plain = recorder.recordSample()
        try recorder.flush()
        #expect(try store.reader().row(plain)?.messageCount == nil)
        recorder.stop()
        #expect(
            try store.sql("SELECT id, messages FROM exchanges ORDER BY id") == ["1|4", "2|NULL"])
        #expect(
            try store.sql(
                "SELECT exchange_id, position, direction, kind, bytes, text FROM messages") == [
                    "1|0|to_server|text|3|one", "1|1|to_client|ping|0|NULL",
                    "1|2|to_client|text|1|2", "1|3|to_client|text|1|3", "1|4|to_client|text|1|4",
                ])
    }

    @Test func `looking up the messages of one exchange scans no table`() throws {
        let recorder = try store.recorder()
        recorder.record(Samples.socket(recorder.nextExchangeID(), [Samples.message(0, "a")]))
        recorder.stop()
        let plan = try store.sql(
            "EXPLAIN QUERY PLAN SELECT * FROM message WHERE key >= 1 << 28 AND key < 2 << 28")
        #expect(!plan.contains { $0.contains("SCAN") }, "\(plan)")
    }
}
