import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

struct RuleTrialTests {
    /// What rules would have done to a POST of which a number of bytes was kept.
    private func results(
        _ rules: String, keptByteCount: Int = 3, answeredWith type: String? = nil,
        answerByteCount: Int64 = 3
    ) throws -> [AppliedRule] {
        let set = try RulesFile.read(rules, file: "f", now: 0)
        let bytes = "POST http://a.test/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\n"
        let body = Body(byteCount: 3, kept: Array("abc".utf8.prefix(keptByteCount)))
        let request = Request(
            url: try EffectiveTarget.absoluteURL("http://a.test/x".utf8.span),
            head: try HeadParser.parseRequestHead(Array(bytes.utf8)), body: body)
        let response = Response(
            head: ResponseHead(
                status: 200, reason: "OK",
                fields: HeaderFields(type.map { [("Content-Type", $0)] } ?? [])),
            body: Body(byteCount: answerByteCount, kept: Array("abc".utf8)))
        return RuleTrial(set).results(
            for: Exchange(
                id: ExchangeID(rawValue: 1), state: .complete, request: request,
                response: response, timeline: Timeline(wallStart: 0, start: 0)))
    }

    private func rule(_ name: String, _ text: String) -> String {
        "[[rule]]\nname = \"\(name)\"\n\(text)\n"
    }

    @Test func `a body that was not kept whole decides nothing`() throws {
        let undecided = "undecided: 2 bytes of the body were not kept"
        let filter = rule("a", "when = 'reqbody:c'\nrequest = [{ block = 403 }]")
        #expect(try results(filter).map(\.outcome) == ["blocked"])
        #expect(try results(filter, keptByteCount: 1).map(\.outcome) == [undecided])
        let edit = rule("a", "request = [{ replace = \"body\", match = 'b', with = \"\" }]")
        #expect(try results(edit).map(\.outcome) == ["changed"])
        #expect(try results(edit, keptByteCount: 1).map(\.outcome) == [undecided])
    }

    @Test func `of a stream of events lines alone would have been edited`() throws {
        let edit = "replace = \"body\", match = 'b', with = \"\""
        let rules =
            rule("whole", "response = [{ \(edit) }]")
            + rule("lines", "response = [{ \(edit), each = \"line\" }]")
        let stream = try results(rules, answeredWith: "text/event-stream")
        #expect(
            stream.map { "\($0.rule) \($0.outcome)" } == ["whole event stream", "lines changed"])
        let cut = try results(rules, answeredWith: "text/event-stream", answerByteCount: 5)
        #expect(cut.last?.outcome == "undecided: 2 bytes of the body were not kept")
        let text = try results(rules, answeredWith: "text/plain")
        #expect(text.map(\.outcome) == ["changed", "unchanged"])
    }

    @Test func `what a script would say is not known`() throws {
        let script = "[[script]]\nname = \"s\"\ncommand = [\"hook\"]\n"
        let rules =
            script
            + rule(
                "a",
                "request = [{ run = \"s\" }, { tag = \"t\" }]\nresponse = [{ run = \"s\" }]")
        let results = try results(rules)
        #expect(results.map(\.outcome) == ["tagged", "undecided", "undecided"])
        #expect(results.last?.detail == "s would be asked")
    }

    @Test func `a rule that another stops is told as not reached`() throws {
        let rules =
            rule("a", "stop = true\nrequest = [{ tag = \"t\" }]")
            + rule("b", "request = [{ set = \"header:X\", value = \"1\" }]")
            + rule("c", "when = 'host=b.test'\nrequest = [{ block = 403 }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a tagged", "b not reached: a stops"])
    }

    @Test func `response rules are tried on the answer of a rule`() throws {
        let rules =
            rule("a", "request = [{ respond = 204 }]")
            + rule("b", "request = [{ tag = \"t\" }]")
            + rule("c", "when = 'status=200'\nresponse = [{ tag = \"t\" }]")
            + rule("d", "when = 'status=204'\nresponse = [{ tag = \"t\" }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a answered", "b not reached: a answers", "d tagged"])
    }

    @Test func `what came decides, whatever the rules before made of it`() throws {
        let rules =
            rule("a", "request = [{ set = \"body\", value = \"xyz\" }]")
            + rule("b", "when = 'reqbody:xyz'\nsees = \"changed\"\nresponse = [{ tag = \"t\" }]")
            + rule("c", "when = 'reqbody:abc'\nresponse = [{ tag = \"t\" }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a changed", "b tagged", "c tagged"])
    }

    @Test func `a request that no rule changed is seen as it came`() throws {
        let rules = rule(
            "a", "when = 'reqbody:abc'\nsees = \"changed\"\nresponse = [{ tag = \"t\" }]")
        #expect(try results(rules).map(\.outcome) == ["tagged"])
    }
}
