import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// JSON lines that another program, or a person, has changed.
struct JSONLinesImportTests {
    private func line(
        id: Int = 1, method: String = "GET", request: String = #"{"headers":[["A","b"]]}"#,
        more: String = #","status":204,"response":{"headers":[]}"#
    ) -> String {
        #"{"id":\#(id),"started_at":"2024-01-01T00:00:00Z","method":"\#(method)","#
            + #""url":"http://a.test/x","request":\#(request)\#(more)}"#
    }

    private func message(_ id: Int, _ position: Int, _ more: String = #","text":"hi""#) -> String {
        #"{"message_of":\#(id),"position":\#(position),"direction":"to_server","#
            + #""kind":"text"\#(more)}"#
    }

    private func entries(_ lines: String...) throws -> [InterchangeReader.WholeEntry] {
        try InterchangeReader.entries(of: Array(lines.joined(separator: "\n").utf8))
    }

    private func exchange(_ line: String) throws -> Exchange {
        try #require(try entries(line).first).get().exchange
    }

    private func problems(_ entries: [InterchangeReader.WholeEntry]) -> [String] {
        entries.compactMap {
            if case .failure(let problem) = $0 { problem.description } else { nil }
        }
    }

    @Test(arguments: ["\u{FEFF}", " \t\r\n", "\n\n", ""])
    func `a byte order mark or blank lines before the first JSON line are ignored`(start: String)
        throws
    {
        let found = try entries(start + line(), line(id: 2))
        #expect(problems(found).isEmpty)
        #expect(found.count == 2)
    }

    @Test func `the JSON Lines importer accepts CRLF line ends and blank lines`() throws {
        let file = Array((line() + "\r\n\r\n  \r\n" + line(id: 2) + "\r\n").utf8)
        for count in [1, 7, 1 << 20] {
            let found = try InterchangeReader.entries(of: file, pieceByteCount: count)
            #expect(problems(found).isEmpty)
            #expect(found.count == 2)
        }
    }

    @Test
    func `messages in JSON Lines must follow their exchange and be sorted by position`()
        throws
    {
        let found = try entries(line(), message(1, 0), message(1, 5))
        #expect(try found.first?.get().messages.map(\.position) == [0, 5])
        #expect(
            problems(try entries(line(), message(2, 0))) == [
                "line 2: its message does not follow the exchange it belongs to"
            ])
        #expect(
            problems(try entries(line(), message(1, 5), message(1, 5))) == [
                "line 3: its message 5 does not come after 5"
            ])
        // The exchange was refused, so that its messages belong to none.
        let refused = line().replacing("http://a.test/x", with: "ftp://a.test/x")
        #expect(problems(try entries(refused, message(1, 0))).count == 2)
    }

    @Test(arguments: [
        #","text":"hi","kind":"speech""#, #","position":-1"#, #","position":268435456"#,
        #","position":1.5"#, #","base64":"*""#, #","offset_ns":-1"#,
    ])
    func `an unreadable message in JSON Lines is reported, and its exchange is imported`(
        change: String
    ) throws {
        // The first member of a name counts, so that the change comes first.
        let bad = message(1, 0).replacing(
            #"{"message_of":1,"#, with: #"{"message_of":1\#(change),"#)
        let found = try entries(line(), bad, line(id: 2))
        #expect(found.count == 3)
        #expect(problems(found).count == 1)
        #expect(problems(found).first?.hasPrefix("line 2: ") == true)
    }

    @Test func `a WebSocket close message in JSON Lines is rebuilt from its code and reason`()
        throws
    {
        func close(_ more: String) throws -> MessageRecord.Content? {
            let text = message(1, 0, more).replacing(#""kind":"text""#, with: #""kind":"close""#)
            return try entries(line(), text).first?.get().messages.first?.content
        }
        #expect(
            try close(#","code":1000,"reason":"bye""#) == .bytes([3, 232] + Array("bye".utf8)))
        #expect(try close(#","code":1000"#) == .bytes([3, 232]))
        #expect(try close(#","code":70000,"reason":"x""#) == .bytes([]))
        #expect(try close(#","code":1000,"base64":"A+k=""#) == .bytes([3, 233]))
    }

    @Test func `a message in JSON Lines may refer to a byte range of its exchange's body`() throws {
        let imported = try #require(
            try entries(line(), message(1, 0, #","body_start":5,"bytes":7"#)).first
        ).get()
        #expect(imported.messages.map(\.content) == [.body(5..<12)])
    }

    @Test(arguments: [
        ("client closedEarly: gone", ExchangeFailure.Origin.client, "gone"),
        ("upstream timedOut:no space", .upstream, "no space"),
        ("proxy shutdown: a: b", .proxy, "a: b"), ("rule blocked:", .rule, ""),
    ])
    func `the text of an error in JSON Lines determines who caused the failure`(
        text: String, origin: ExchangeFailure.Origin, message: String
    ) throws {
        let failed = try exchange(line(more: #","state":"failed","error":"\#(text)""#))
        #expect(failed.failure?.origin == origin)
        #expect(failed.failure?.message == message)
        #expect(failed.state == .failed)
    }

    @Test(arguments: [
        "nobody closedEarly: x", "client vanished: x", "upstream: x", "upstream closedEarly", ":",
        "",
    ])
    func `an unrecognized error in JSON Lines is imported as a failure without a response`(
        text: String
    ) throws {
        let failed = try exchange(line(more: #","state":"failed","error":"\#(text)""#))
        #expect(failed.failure?.message == "no response was recorded")
    }

    @Test
    func `a decoded text body imported from JSON Lines sets Content-Length to its own length`()
        throws
    {
        let coded = #"{"headers":[["Content-Encoding","gzip"],["Content-Length","900"]],"#
        let whole = try exchange(
            line(method: "POST", request: coded + #""body_text":"hello","body_bytes":900}"#))
        #expect(whole.request.body == Body(Array("hello".utf8)))
        #expect(whole.request.head?.fields["Content-Length"] == "5")
        let cut = try exchange(
            line(
                method: "POST",
                request: coded + #""body_text":"hello","body_bytes":900,"body_truncated":true}"#))
        #expect(cut.request.body == Body(byteCount: 900, kept: Array("hello".utf8)))
    }

    @Test func `a body with invalid Base64 in JSON Lines is tagged missing-body`() throws {
        let sent = try exchange(line(request: #"{"headers":[["A","b"]],"body_base64":"*"}"#))
        #expect(sent.request.body == Body())
        #expect(sent.annotations.tags == ["missing-body"])
        let received = try exchange(
            line(more: #","status":200,"response":{"headers":[],"body_base64":"*"}"#))
        #expect(received.response?.body == Body())
        #expect(received.annotations.tags == ["missing-body"])
    }

    @Test(arguments: [#"["A"]"#, #"["A","b","c"]"#, #"["A",5]"#, #""A""#, #"["A b","c"]"#])
    func `a header in JSON Lines that is not a valid pair is left out and tagged missing-header`(
        header: String
    ) throws {
        let exchange = try exchange(line(request: #"{"headers":[\#(header),["B","c"]]}"#))
        #expect(exchange.request.head?.fields.pairs.map(\.name).contains("B") == true)
        #expect(exchange.request.head?.fields.pairs.map(\.name).contains("A") == false)
        #expect(exchange.annotations.tags == ["missing-header"])
    }

    @Test(arguments: ["[1]", "17", "null", #""x""#, "{", "{}"])
    func `a JSON line that is not an exchange is reported, and later lines are imported`(
        bad: String
    ) throws {
        let found = try entries(line(), bad, line(id: 2))
        #expect(found.count == 3)
        #expect(problems(found).count == 1)
        #expect(problems(found).first?.hasPrefix("line 2: ") == true)
    }

    @Test
    func `timing phases from JSON Lines are placed so that they end at the first response byte`()
        throws
    {
        let timeline = try exchange(
            line(
                more: #","status":204,"response":{"headers":[]},"timeline":{"latency_ms":50,"#
                    + #""connect_ms":10,"wait_ms":20,"connection_reused":true}"#)
        ).timeline
        #expect(timeline[.connectStart] == 20_000_000)
        #expect(timeline[.responseFirstByte] == 50_000_000)
        #expect(timeline.connectionReused)
    }
}
