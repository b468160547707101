import Capture
import Foundation
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydRedaction
import ProxydStoreTestSupport
import Testing

/// Messages go out with their exchanges and come in again.
@Suite struct InterchangeMessageTests {
    private static let secrets = #"{"user": "ann", "password": "hunter2"}"#

    /// A WebSocket with every kind of message, an event stream, and a socket without messages.
    private static func record(into recorder: Recorder) throws {
        var cut = Samples.message(2, .text, .toServer, bytes: [0x61, 0xC3])
        cut.byteCount = 9_000
        cut.flags = [.cut, .compressed]
        cut.wireByteCount = 77
        var invalid = Samples.message(6, .invalid, .toClient, "\u{1}?")
        invalid.problem = "reserved opcode 3"
        invalid.flags = .invalid
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(),
                [
                    Samples.message(0, .text, .toServer, secrets),
                    Samples.message(1, .binary, .toClient, bytes: [0, 0xFF, 1]), cut,
                    Samples.message(3, .ping, .toClient, "hunter2"),
                    Samples.message(4, .pong, .toServer, ""),
                    Samples.message(5, .text, .toClient, "password=hunter2"), invalid,
                    Samples.message(
                        9, .close, .toServer, bytes: [3, 0xE8] + Array("hunter2".utf8)),
                ]))
        recorder.record(
            Samples.stream(
                recorder.nextExchangeID(),
                ["event: a\ndata: \(secrets)\n\n", "data: plain\n\n", ": note\n\n"]))
        recorder.record(Samples.socket(recorder.nextExchangeID(), []))
        try recorder.flush()
    }

    private static func messages(_ store: InterchangeStore) throws -> [[MessageRow]] {
        let reader = try store.store.reader()
        return try store.captured().map {
            try reader.messages(of: $0.row.id, .oldest, limit: 100, byteCountMax: 1 << 20)
        }
    }

    @Test
    func `WebSocket messages and server-sent events survive export to JSON Lines and reimport`()
        throws
    {
        let before = try InterchangeStore(filledBy: Self.record)
        let file = try before.export(JSONLinesWriter())
        let after = try InterchangeStore(importing: file)
        #expect(try Self.messages(after) == Self.messages(before))
        #expect(try Self.messages(after).map(\.count) == [8, 3, 0])
        #expect(try Self.messages(after)[1].map(\.bodyStart) == [0, 55, 68])
        #expect(try after.captured().map(\.row.messageCount) == [4, 3, 0])
        #expect(try after.export(JSONLinesWriter()).count == file.count)
    }

    @Test func `valid WebSocket messages survive export to HAR and reimport unchanged`() throws {
        let before = try InterchangeStore(filledBy: Self.record)
        let entries = try before.harEntries()
        let first = try #require(entries[0]["_webSocketMessages"] as? [[String: Any]])
        #expect(
            first.map { $0["type"] as? String } == [
                "send", "receive", "send", "receive", "send", "receive", "send",
            ])
        #expect(first.map { $0["opcode"] as? Int } == [1, 2, 1, 9, 10, 1, 8])
        #expect(first[0]["data"] as? String == Self.secrets)
        #expect(first[1]["data"] as? String == "AP8B")
        #expect(first[0]["time"] as? Double == 1_763_712_000.123456)
        #expect(entries[1]["_webSocketMessages"] == nil)
        #expect(entries[2]["_webSocketMessages"] == nil)
        let after = try InterchangeStore(importing: try before.export(HARWriter(version: "1")))
        let wanted = try Self.messages(before)[0].filter { $0.kind != .invalid }
        let found = try Self.messages(after)[0]
        // HAR has no numbers of its own.
        #expect(found.map(\.position) == Array(0..<7))
        for (one, other) in zip(found, wanted) {
            #expect(one.kind == other.kind && one.direction == other.direction)
            #expect(one.bytes == other.bytes && one.byteCount == other.byteCount)
            #expect(one.flags == other.flags && one.wireByteCount == other.wireByteCount)
            #expect(one.atNs == other.atNs)
        }
        #expect(try after.captured().count == 3)
    }

    @Test(arguments: [1, 7, 1 << 20])
    func `WebSocket messages that Chrome puts before the request of a HAR entry belong to it`(
        pieces: Int
    ) throws {
        let entry = """
            {"_priority": "High", "_webSocketMessages": [
              {"type": "send", "time": 1763632800.5, "opcode": 1, "data": "a ] } \\" b"},
              {"type": "receive", "time": 1763632800.75, "opcode": 2, "data": "AP8="} ],
             "request": {"method": "GET", "url": "wss://h.test/s", "headers": [
               {"name": "x", "value": "\\"_webSocketMessages\\":["}]},
             "response": {"status": 101, "statusText": "", "headers": []},
             "startedDateTime": "2025-11-20T10:00:00.000Z", "time": 1}
            """
        let plain = entry.replacing(/"_webSocketMessages": \[[^\]]*\] \}[^\]]*\],/, with: "")
        let file = Array("{\"log\": {\"entries\": [\(entry), \(plain), \(entry)]}}".utf8)
        let entries = try InterchangeReader.entries(of: file, pieceByteCount: pieces)
        #expect(entries.count == 3)
        for (index, entry) in entries.enumerated() {
            let imported = try entry.get()
            #expect(imported.exchange.request.url?.description == "https://h.test/s")
            let isSocket = index != 1
            #expect(imported.exchange.upgradedTo == (isSocket ? "websocket" : nil))
            #expect(
                imported.messages.map(\.offsetNs) == (isSocket ? [500_000_000, 750_000_000] : []))
            #expect(imported.messages.map(\.direction) == (isSocket ? [.toServer, .toClient] : []))
            guard isSocket else { continue }
            #expect(imported.messages[0].content == .bytes(Array("a ] } \" b".utf8)))
            #expect(imported.messages[1].content == .bytes([0, 0xFF]))
        }
    }

    @Test(arguments: [
        (##"{"type": "neither"}"##, "neither sent nor received"), ("7", "neither sent"),
        ("{", "not JSON"), ("nul", "not JSON"),
    ])
    func `an invalid HAR WebSocket message is reported with the number of its entry`(
        message: String, hint: String
    ) throws {
        let file = """
            {"log": {"entries": [{"request": {"method": "GET", "url": "http://h/", "headers": []},
            "startedDateTime": "2025-11-20T10:00:00.000Z", "_webSocketMessages": [\(message)]}]}}
            """
        let entries = try InterchangeReader.entries(of: Array(file.utf8))
        let problems = entries.compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
        #expect(problems.contains { $0.description.contains(hint) }, "\(problems)")
        // A bracket that is missing makes more of the file unreadable.
        #expect(problems.first?.place == "entry 1")
    }

    @Test
    func `a JSON Lines message is rejected if it does not belong to the exchange above it`()
        throws
    {
        let store = try InterchangeStore(filledBy: Self.record)
        let lines = String(decoding: try store.export(JSONLinesWriter()), as: UTF8.self)
            .split(separator: "\n")
        let message = try #require(lines.first { $0.contains("message_of\":1") })
        let other = message.replacing("message_of\":1", with: "message_of\":2")
        let bad = message.replacing("\"kind\":\"text\"", with: "\"kind\":\"nothing\"")
        let file = [Substring(message), lines[0], message[...], other[...], bad[...]].joined(
            separator: "\n")
        let entries = try InterchangeReader.entries(of: Array(file.utf8))
        let problems = entries.compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
        #expect(problems.map(\.place) == ["line 1", "line 4", "line 5"])
    }

    @Test func `JSON Lines messages with repeated positions or impossible times are rejected`()
        throws
    {
        let store = try InterchangeStore(filledBy: Self.record)
        let lines = String(decoding: try store.export(JSONLinesWriter()), as: UTF8.self)
            .split(separator: "\n")
        let message = try #require(lines.first { $0.contains("message_of\":1") })
        let far = message.replacing(
            /"offset_ns":[0-9]+/, with: "\"offset_ns\":-9223372036854775808")
        #expect(far != message)
        let late = message.replacing(/"position":[0-9]+/, with: "\"position\":268435456")
        let file = [lines[0], message[...], message[...], far[...], late[...]].joined(
            separator: "\n")
        let problems = try InterchangeReader.entries(of: Array(file.utf8)).compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
        #expect(problems.map(\.place) == ["line 3", "line 4", "line 5"])
    }

    @Test func `the importer streams an exchange's messages instead of collecting them in memory`()
        throws
    {
        let count = 20_000
        let store = try InterchangeStore { recorder in
            let id = recorder.nextExchangeID()
            recorder.record(
                Samples.socket(
                    id, (0..<count).map { Samples.message(Int64($0), "message \($0)") }))
            try recorder.flush()
        }
        for file in [
            try store.export(HARWriter(version: "1")), try store.export(JSONLinesWriter()),
        ] {
            var reader = InterchangeReader()
            var (exchangeCount, messageCount, longest) = (0, 0, 0)
            for start in stride(from: 0, to: file.count, by: 1 << 16) {
                try reader.receive(Array(file[start..<min(file.count, start + 1 << 16)])) { part in
                    switch try part.get() {
                    case .exchange: exchangeCount += 1
                    case .leftOut: break
                    case .messages(let messages):
                        // The exchange comes first, and no more than a few of them at a time.
                        #expect(exchangeCount == 1)
                        messageCount += messages.count
                        longest = max(longest, messages.count)
                    }
                }
            }
            try reader.finish { _ = try $0.get() }
            #expect(exchangeCount == 1)
            #expect(messageCount == count)
            #expect(longest == 1)
        }
    }

    // MARK: Redaction

    @Test func `a redacted export has no credentials in messages and marks omitted messages`()
        throws
    {
        let store = try InterchangeStore(filledBy: Self.record)
        for file in [
            try store.export(HARWriter(version: "1"), redactor: ExchangeRedactor()),
            try store.export(JSONLinesWriter(), redactor: ExchangeRedactor()),
        ] {
            let text = String(decoding: file, as: UTF8.self)
            #expect(!text.contains("hunter2"))
            #expect(!text.contains(Base64Text.of("hunter2")))
            #expect(text.contains("ann"))
            #expect(text.contains("left_out\":true"))
            let after = try InterchangeStore(importing: file)
            #expect(try after.captured().count == 3)
        }
        let lines = try store.export(JSONLinesWriter(), redactor: ExchangeRedactor())
        let after = try InterchangeStore(importing: lines)
        let messages = try Self.messages(after)
        #expect(
            messages[0].map(\.kind) == [
                .text, .binary, .text, .ping, .pong, .text, .invalid, .close,
            ])
        #expect(
            messages[0].map { $0.bytes.isEmpty } == [
                false, true, true, true, true, true, true, false,
            ])
        #expect(messages[0].last?.bytes == [3, 0xE8])
        #expect(messages[1].count == 3)
        #expect(
            String(decoding: messages[1][0].bytes, as: UTF8.self).hasPrefix(
                "event: a\ndata: {\"user\": \"ann\""))
    }

    @Test func `redaction removes comments and unknown fields from server-sent events`() throws {
        let lines = "foo: password=hunter2\n: secret=hunter2\nid: 7\nevent: a\ndata\n"
        let store = try InterchangeStore { recorder in
            var stream = Samples.stream(recorder.nextExchangeID(), ["x"])
            stream.messages = [
                Samples.message(0, .event, .toClient, lines + "data: {\"a\":1}\n\n")
            ]
            recorder.record(stream)
            try recorder.flush()
        }
        let file = try store.export(JSONLinesWriter(), redactor: ExchangeRedactor())
        #expect(String(decoding: file, as: UTF8.self).contains("left_out\":true"))
        let message = try Self.messages(try InterchangeStore(importing: file))[0][0]
        #expect(
            String(decoding: message.bytes, as: UTF8.self)
                == "id: 7\nevent: a\ndata\ndata: {\"a\":1}\n\n")
    }

    @Test func `redaction keeps messages without credentials as byte ranges of their body`() throws
    {
        let store = try InterchangeStore { recorder in
            recorder.record(
                Samples.stream(recorder.nextExchangeID(), ["data: a\n\n", "data: b\n\n"]))
            try recorder.flush()
        }
        let after = try InterchangeStore(
            importing: try store.export(JSONLinesWriter(), redactor: ExchangeRedactor()))
        #expect(try Self.messages(after) == Self.messages(store))
    }
}

/// Base64 without padding, as it would be in a longer text.
private enum Base64Text {
    static func of(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("=", with: "")
    }
}

/// Events and comments as JSON and as text.
struct EventMessageTests {
    private func message(
        _ lines: [UInt8], _ kind: MessageRecord.Kind = .event
    ) -> MessageRow {
        MessageRow(
            position: 0, direction: .toClient, kind: kind, flags: [], atNs: 0,
            byteCount: Int64(lines.count), wireByteCount: Int64(lines.count), problem: nil,
            bytes: lines)
    }

    private func json(_ message: MessageRow) -> String {
        let members: [JSONValue.Member] =
            if case .object(let members) = MessageJSON.value(message) { members } else { [] }
        let content = JSONValue.object(Array(members.dropFirst(5)))
        return String(decoding: (try? JSONWriter().write(content)) ?? [], as: UTF8.self)
    }

    private func line(_ message: MessageRow) -> String {
        MessageText.line(of: message, byteCountMax: 1_000)
    }

    @Test
    func `a server-sent event is shown with its ID and joined data, both in JSON and in text`() {
        let event = message(Array("event: a\nid: 7\ndata: x\n: no\ndata: y\nretry: 5".utf8))
        #expect(json(event) == #"{"event":"a","id":"7","retry":5,"text":"x\ny"}"#)
        #expect(line(event) == "a  x\ny  (id 7)")
        let bare = message(Array("data".utf8))
        #expect(json(bare) == #"{"event":null,"id":null,"retry":null,"text":""}"#)
        #expect(line(bare) == "")
    }

    @Test func `server-sent event data that is not valid UTF-8 is written to JSON as Base64`() {
        let event = message(Array("data: ".utf8) + [0xFF])
        #expect(json(event) == #"{"event":null,"id":null,"retry":null,"base64":"/w=="}"#)
    }

    @Test func `a comment in an event stream is shown as its text`() {
        let comment = message(Array(": ping".utf8), .comment)
        #expect(json(comment) == #"{"text":"ping"}"#)
        #expect(line(comment) == "ping")
    }

    @Test
    func `event stream lines without data are shown as is; JSON also has their ID and retry`() {
        let lines = message(Array("retry: 10\nid".utf8), .comment)
        #expect(json(lines) == #"{"event":null,"id":"","retry":10,"text":"retry: 10\nid"}"#)
        #expect(line(lines) == "retry: 10\nid")
    }
}
