import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

struct ScriptQuestionTests {
    private let get = "GET http://a.test/p?x=1 HTTP/1.1\r\nHost: a.test\r\nX-Odd: \"\u{E9}\r\n\r\n"
    private let post =
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/json\r\n"
        + "Content-Length: 7\r\n\r\n{\"a\":1}"
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

    @Test func `a request is sent to a script as one line of JSON`() throws {
        let question = try #require(try ScriptExchange(get).requestQuestion().1)
        #expect(
            text(question.line(id: 7))
                == #"{"v":1,"id":7,"exchange":41,"rule":"r","phase":"request","method":"GET","#
                + #""url":"http://a.test/p?x=1","headers":[["Host","a.test"],["X-Odd","\"é"]]}"#
                + "\n")
    }

    @Test func `a body is sent to a script only if the rule says so`() throws {
        let question = try #require(
            try ScriptExchange(post, ", body = true").requestQuestion().1)
        #expect(text(question.line(id: 1)).hasSuffix(#","body":"eyJhIjoxfQ=="}"# + "\n"))
        #expect(question.bodyByteCount == 7)
        let without = try #require(try ScriptExchange(post).requestQuestion().1)
        #expect(!text(without.line(id: 1)).contains("body") && without.bodyByteCount == 0)
    }

    @Test func `a response is sent to a script together with the head of its request`() throws {
        let (_, question) = try ScriptExchange(get, ", body = true").responseQuestion(ok)
        #expect(
            text(question.line(id: 8))
                == #"{"v":1,"id":8,"exchange":41,"rule":"r","phase":"response","method":"GET","#
                + #""url":"http://a.test/p?x=1","#
                + #""request_headers":[["Host","a.test"],["X-Odd","\"é"]],"#
                + #""status":200,"reason":"OK","headers":[["Content-Length","2"]],"body":"b2s="}"#
                + "\n")
    }

    @Test(arguments: [
        "", "{", "[7]", "7", "null", "{}", #"{"id":"7"}"#, #"{"id":8}"#, #"{"id":7.5}"#,
        #"{"id":7} {"id":7}"#, "Traceback (most recent call last):", #"{"id":1e3}"#,
        #"{"id":99999999999999999999}"#,
    ])
    func `a script's output line with a wrong or missing ID is not taken as a reply`(line: String)
        throws
    {
        let question = try #require(try ScriptExchange(get).requestQuestion().1)
        #expect(question.end(Array(line.utf8), id: 7) == nil)
    }

    @Test(arguments: [
        #"{"id":7}"#, #"{"id":7,"set":[]}"#, #" {"set":null,"id":7,"respond":null} "#,
        #"{"id":7,"method":"PUT","headers":[],"set":[{"target":"method","value":"GET"}]}"#,
        #"{"id":7,"remove":[{"target":"header:X-None"}]}"#,
    ])
    func `a script's reply that asks for no change leaves the message as it was`(reply: String)
        throws
    {
        let decision = try ScriptExchange(get).afterRequest(reply)
        #expect(decision.notes.applied.map(\.outcome) == ["unchanged"])
        #expect(decision.message.head.bytes == Array(get.utf8) && decision.body == nil)
    }

    @Test func `a script can set, add and remove the same targets as rules`() throws {
        let decision = try ScriptExchange(post, ", body = true").afterRequest(
            #"{"id":7,"set":[{"target":"header:X-A","value":1},"#
                + #"{"target":"json:a","value":[2,null]},"#
                + #"{"target":"query:q","value":"ä"}],"remove":[{"target":"header:content-type"}],"#
                + #""add":[{"target":"header:X-A","value":"2"}]}"#)
        let head = decision.message.head
        #expect(head.fields.values(named: "X-A") == ["1", "2"])
        #expect(head.fields["Content-Type"] == nil)
        #expect(decision.message.url.description == "http://a.test/?q=%C3%A4")
        #expect(decision.body == Array(#"{"a":[2,null]}"#.utf8))
        let applied = try #require(decision.notes.applied.first)
        #expect(applied.outcome == "changed" && applied.rule == "r")
        #expect(
            applied.detail == "s: header:X-A, json:a, query:q, header:X-A, header:content-type")
    }

    @Test(arguments: [
        (#""set":[{"target":"json:a","value":1}]"#, "the script does not get the body"),
        (#""set":[{"target":"status","value":404}]"#, "status: a request has none"),
        (#""set":[{"target":"header:Content-Length","value":"1"}]"#, "framing"),
        (#""set":[{"target":"header:X-A","value":"a\r\nb"}]"#, "no control characters"),
        (#""set":[{"target":"header:X-A","value":["a"]}]"#, "not a string"),
        (#""set":[{"target":"header:X-A"}]"#, "the value is missing"),
        (#""set":[{"value":"a"}]"#, "each entry needs a target"),
        (#""set":{"header:X-A":"1"}"#, "set: not a list"),
        (#""add":[{"target":"method","value":"PUT"}]"#, "add cannot be done to method"),
        (#""sets":[]"#, "unknown member sets"), (#""respond":{}"#, "a status is from 200"),
        (#""respond":{"status":101}"#, "a status is from 200"),
        (#""respond":{"status":200,"body":"tea"}"#, "body is not Base64"),
        (#""respond":{"status":200,"body":"","text":""}"#, "either body"),
        (#""respond":{"status":200,"headers":[["A"]]}"#, "[name, value]"),
        (#""respond":{"status":200,"headers":[["A b","c"]]}"#, "not a field name"),
        (#""respond":{"status":200,"headers":{"A":"b\nc"}}"#, "no control characters"),
    ])
    func `an invalid reply from a script is recorded as failed, and no part of it is applied`(
        members: String, reason: String
    ) throws {
        let reply = #"{"id":7,"# + members + "}"
        let decision = try ScriptExchange(post).afterRequest(reply)
        let applied = try #require(decision.notes.applied.first)
        #expect(applied.outcome == "failed")
        #expect(applied.detail?.contains(reason) == true, "\(applied)")
        #expect(decision.message.head.bytes == Array(post.utf8.dropLast(7)))
        #expect(decision.ending == nil && decision.body == nil)
    }

    @Test
    func `depending on the rule, an invalid script reply forwards the message or causes a 502`()
        throws
    {
        let reply = #"{"id":7,"set":1}"#
        #expect(try ScriptExchange(get).afterRequest(reply).ending == nil)
        let strict = try ScriptExchange(get, #", otherwise = "fail""#)
        guard case .block(.status(502))? = try strict.afterRequest(reply).ending else {
            Issue.record("it goes on")
            return
        }
        #expect(try strict.after(ok, reply).block == .status(502))
    }

    @Test func `a script can respond to the client in place of the server`() throws {
        let decision = try ScriptExchange(get).afterRequest(
            #"{"id":7,"respond":{"status":418,"headers":[["X-A","1"],["Content-Length","9"]],"#
                + #""body":"dGVh"}}"#)
        guard case .answer(let answer)? = decision.ending else {
            Issue.record("it goes on")
            return
        }
        #expect(answer.status == 418 && answer.body == Array("tea".utf8))
        #expect(answer.fields.pairs.map(\.name) == ["X-A"])
        #expect(decision.notes.applied.first?.detail == "s: status 418")
    }

    @Test func `a script can edit a response or replace it`() throws {
        let exchange = try ScriptExchange(get, ", body = true")
        let edited = try exchange.after(
            ok, #"{"id":7,"set":[{"target":"status","value":404},{"target":"body","value":"no"}]}"#)
        #expect(edited.message.head.status == 404 && edited.body == Array("no".utf8))
        let replaced = try exchange.after(
            ok, #"{"id":7,"respond":{"status":503,"headers":{"Retry-After":"3"},"text":"é"}}"#)
        #expect(replaced.isAnswer && replaced.message.head.status == 503)
        #expect(replaced.message.head.fields["Retry-After"] == "3")
        #expect(replaced.body == Array("é".utf8))
    }

    @Test func `a body changed by a rule stays changed if a script edits only the head`() throws {
        let exchange = try ScriptExchange(
            post, rest: "[[rule]]\nname = \"t\"\nrequest = [{ set = \"json:a\", value = 22 }]")
        let decision = try exchange.afterRequest(
            #"{"id":7,"set":[{"target":"header:X-A","value":"1"}]}"#)
        #expect(decision.body == Array(#"{"a":22}"#.utf8))
        #expect(decision.message.head.fields["X-A"] == "1")
        #expect(decision.notes.applied.map(\.rule) == ["t", "r"])
    }

    @Test func `a script is not run if a rule has answered the request`() throws {
        let exchange = try ScriptExchange(
            get, rest: "[[rule]]\nname = \"t\"\nrequest = [{ respond = 204 }]")
        let (decision, question) = try exchange.requestQuestion()
        #expect(question == nil)
        #expect(
            decision.notes.applied.map(\.outcome) == ["answered", "not run: a rule answered"])
    }
}

struct ScriptLinesTests {
    private func texts(_ lines: [[UInt8]]) -> [String] {
        lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: 1...12)
    func `the output of a script is split into the same lines for any chunk size`(
        pieceByteCount: Int
    ) {
        var lines = ScriptLines(byteCountMax: 5)
        let text = Array("one\ntwo\r\n\nfive5\nthis is long\nrest".utf8)
        for start in stride(from: 0, to: text.count, by: pieceByteCount) {
            lines.append(text[start..<min(start + pieceByteCount, text.count)])
        }
        #expect(texts(lines.takeLines()) == ["one", "two", "", "five5", "this "])
        #expect(lines.hasOverrun && lines.takeLines().isEmpty)
        #expect(texts([lines.takeRest()]) == ["rest"] && lines.takeRest().isEmpty)
    }

    @Test func `an overlong line of a script's output is truncated, and the next line is complete`()
    {
        var lines = ScriptLines(byteCountMax: 100)
        let flood = [UInt8](repeating: 0x61, count: 1_000)
        for _ in 0..<1_000 { lines.append(flood[...]) }
        #expect(lines.hasOverrun && lines.takeLines().map(\.count) == [100])
        #expect(lines.takeRest().isEmpty)
        lines.append(Array("\nnext\n".utf8)[...])
        #expect(texts(lines.takeLines()) == ["next"])
    }
}

struct ScriptPausesTests {
    private let second: Int64 = 1_000_000_000

    @Test
    func `the pause before a script restart doubles up to 30 s and is reset by a script's reply`() {
        var pauses = ScriptPauses()
        #expect(pauses.left(now: 0) == 0)
        var lengths: [Int64] = []
        for round in 0..<11 {
            pauses.ended(now: Int64(round) * 100 * second)
            lengths.append(pauses.left(now: Int64(round) * 100 * second) / 1_000_000)
        }
        #expect(
            lengths == [
                100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
            ])
        pauses.answered()
        pauses.ended(now: 2_000 * second)
        #expect(pauses.left(now: 2_000 * second) == second / 10)
        #expect(pauses.left(now: 2_001 * second) == 0)
    }
}
