import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// Messages of WebSockets in a HAR log.
struct HARMessageTests {
    private func socket(_ messages: String, after: String = "") -> String {
        HARText.entry(
            url: "wss://a.test/", response: #"{"status":101}"#,
            more: #","_webSocketMessages":[\#(messages)]\#(after)"#)
    }

    private func messages(_ text: String) throws -> [MessageRecord] {
        try HARText.imported(socket(text)).messages
    }

    @Test
    func `the WebSocket messages of a HAR entry may come before its time and request in the file`()
        throws
    {
        let entry = #"""
            {"_webSocketMessages":[{"type":"receive","time":1704067201.5,"opcode":1,"data":"a"}],
            "startedDateTime":"2024-01-01T00:00:00Z",
            "request":{"method":"GET","url":"wss://a.test/"},"response":{"status":101}}
            """#
        for count in [1, 5, 1 << 20] {
            let entries = try InterchangeReader.entries(
                of: HARText.log(entry, HARText.entry()), pieceByteCount: count)
            #expect(entries.count == 2)
            let imported = try #require(entries.first).get()
            #expect(imported.exchange.upgradedTo == "websocket")
            #expect(imported.messages.map(\.offsetNs) == [1_500_000_000])
        }
    }

    @Test func `_webSocketMessages is read only if it is an array directly in the HAR entry`()
        throws
    {
        let nested = HARText.entry(more: #","_x":{"_webSocketMessages":[{"type":"send"}]}"#)
        #expect(try HARText.imported(nested).messages.isEmpty)
        let object = HARText.entry(more: #","_webSocketMessages":{"type":"send"}"#)
        #expect(try HARText.imported(object).messages.isEmpty)
        let value = HARText.entry(more: #","_x":"_webSocketMessages","_y":[{"type":"send"}]"#)
        #expect(try HARText.imported(value).messages.isEmpty)
        let empty = try HARText.imported(HARText.entry(more: #","_webSocketMessages":[]"#))
        #expect(empty.messages.isEmpty && empty.exchange.upgradedTo == nil)
    }

    @Test func `two _webSocketMessages arrays in one HAR entry are joined`() throws {
        let found = try HARText.imported(
            socket(
                #"{"type":"send","data":"a"}"#,
                after: #","_webSocketMessages":[{"type":"send","data":"b"}]"#)
        ).messages
        #expect(found.map(\.content) == [.bytes(Array("a".utf8)), .bytes(Array("b".utf8))])
        #expect(found.map(\.position) == [0, 1])
    }

    @Test(arguments: [
        (#"{"type":"send","opcode":1,"data":"aGk="}"#, MessageRecord.Kind.text, "aGk="),
        (#"{"type":"send","opcode":1,"data":"aGk=","_encoding":"base64"}"#, .text, "hi"),
        (#"{"type":"request","opcode":2,"data":"aGk="}"#, .binary, "hi"),
        (#"{"type":"send","opcode":2,"data":"not base64!"}"#, .binary, "not base64!"),
        (#"{"type":"send","opcode":9,"data":""}"#, .ping, ""),
        (#"{"type":"send","opcode":77,"data":"a"}"#, .text, "a"),
        (#"{"type":"send","opcode":-1,"data":"a"}"#, .text, "a"),
        (#"{"type":"send","opcode":1e99,"data":"a"}"#, .text, "a"),
        (#"{"type":"send","data":17}"#, .text, ""),
    ])
    func `the opcode and encoding of a HAR WebSocket message decide how its data is decoded`(
        message: String, kind: MessageRecord.Kind, content: String
    ) throws {
        let found = try #require(try messages(message).first)
        #expect(found.kind == kind)
        #expect(found.content == .bytes(Array(content.utf8)))
        #expect(found.byteCount == content.utf8.count)
    }

    @Test(arguments: [
        ("1704067201", 1_000_000_000), ("1704067199", 0), ("-1", 0), ("1e300", 0),
        ("1704067200.000001", 1_000), (#""soon""#, 0), ("null", 0),
    ])
    func `a HAR WebSocket message whose time is too early or unreadable is placed at the start`(
        time: String, offset: Int64
    ) throws {
        let found = try messages(#"{"type":"send","time":\#(time),"data":"a"}"#)
        #expect(found.map(\.offsetNs) == [offset])
    }

    @Test func `a HAR WebSocket message with an impossible time offset is rejected`() throws {
        let late = socket(#"{"type":"send","_offset_ns":9000000000000000000,"data":"a"}"#)
        #expect(try HARText.refusals(late) == ["its message has an impossible time"])
        let before = socket(#"{"type":"send","_offset_ns":-1,"data":"a"}"#)
        #expect(try HARText.refusals(before) == ["its message has an impossible time"])
    }

    @Test(arguments: [
        "17", "null", "{}", #"{"type":"sent"}"#, #"{"type":1}"#, "[]", #"{"type":"send",}"#,
    ])
    func `an unreadable HAR WebSocket message is reported, and the others are imported`(
        message: String
    ) throws {
        let good = #"{"type":"send","data":"a"}"#
        let file = HARText.log(socket("\(good),\(message)"), HARText.entry())
        for count in [1, 1 << 20] {
            let entries = try InterchangeReader.entries(of: file, pieceByteCount: count)
            let read = entries.compactMap { try? $0.get() }
            #expect(read.map(\.messages.count) == [1, 0])
            #expect(read[0].exchange.annotations.tags.contains("missing-messages"))
            let problems = entries.compactMap {
                if case .failure(let problem) = $0 { problem.place } else { nil }
            }
            #expect(problems == ["entry 1"])
        }
    }

    @Test func `a long WebSocket error message in HAR is truncated`() throws {
        let long = String(repeating: "x", count: 1_000)
        let found = try messages(#"{"type":"error","time":1704067201,"data":"\#(long)"}"#)
        #expect(found.map(\.problem) == [String(repeating: "x", count: 200)])
        #expect(try messages(#"{"type":"error"}"#).map(\.problem) == ["error"])
    }

    @Test
    func `if a HAR file ends within WebSocket messages, the exchange already read is withdrawn`()
        throws
    {
        let store = try InterchangeStore()
        let file = try store.export(HARWriter(version: "1"))
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        // The first entry of an export of this program, which is passed on before its messages.
        let start = lines[0] + "\n" + lines[1].dropLast(2)
        let cut = Array((start + #","_webSocketMessages":[{"type":"send""#).utf8)
        let entries = try InterchangeReader.entries(of: cut)
        guard case .failure(let problem)? = entries.last else {
            Issue.record("the end is not told")
            return
        }
        #expect(entries.count == 2)
        #expect(problem.abandonsLast)
        #expect(problem.isDamage)
        let foreign = try InterchangeReader.entries(
            of: Array(HARText.log(socket(#"{"type":"send","data":"a"}"#)).dropLast(12)))
        guard case .failure(let other)? = foreign.last else {
            Issue.record("the end is not told")
            return
        }
        // Others hold the messages back, so that there is nothing to take back.
        #expect(!other.abandonsLast)
        #expect(foreign.count == 1)
    }
}
