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
        let exchange = try exchange(
            keptByteCount: keptByteCount, answeredWith: type, answerByteCount: answerByteCount)
        return RuleTrial(try RulesFile.read(rules, file: "f", now: 0)).results(for: exchange)
    }

    private func exchange(
        keptByteCount: Int = 3, answeredWith type: String? = nil, answerByteCount: Int64 = 3
    ) throws -> Exchange {
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
        return Exchange(
            id: ExchangeID(rawValue: 1), state: .complete, request: request,
            response: response, timeline: Timeline(wallStart: 0, start: 0))
    }

    private func rule(_ name: String, _ text: String) -> String {
        "[[rule]]\nname = \"\(name)\"\n\(text)\n"
    }

    @Test func `a rule trial is undecided if it needs a body that was not stored completely`()
        throws
    {
        let undecided = "undecided: 2 bytes of the body were not kept"
        let filter = rule("a", "when = 'reqbody:c'\nrequest = [{ block = 403 }]")
        #expect(try results(filter).map(\.outcome) == ["blocked"])
        #expect(try results(filter, keptByteCount: 1).map(\.outcome) == [undecided])
        let edit = rule("a", "request = [{ replace = \"body\", match = 'b', with = \"\" }]")
        #expect(try results(edit).map(\.outcome) == ["changed"])
        #expect(try results(edit, keptByteCount: 1).map(\.outcome) == [undecided])
    }

    @Test func `a rule trial applies only line-by-line edits to an event stream`() throws {
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

    @Test func `a rule trial reports actions that run a script as undecided`() throws {
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

    @Test func `a rule trial reports a rule that another rule stops as not reached`() throws {
        let rules =
            rule("a", "stop = true\nrequest = [{ tag = \"t\" }]")
            + rule("b", "request = [{ set = \"header:X\", value = \"1\" }]")
            + rule("c", "when = 'host=b.test'\nrequest = [{ block = 403 }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a tagged", "b not reached: a stops"])
    }

    @Test func `a rule trial lists a stop-only rule in each phase, and the rules that it stops`()
        throws
    {
        let rules =
            rule("a", "stop = true\nwhen = 'method=POST'")
            + rule("b", "response = [{ set = \"header:X\", value = \"1\" }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.phase.rawValue) \($0.outcome)" } == [
                "a request unchanged", "a response unchanged", "b response not reached: a stops",
            ])
    }

    // MARK: Messages

    private func outcome(_ rules: String, answered: Bool = true) throws -> RuleTrial.Outcome {
        var exchange = try exchange()
        if !answered { exchange.response = nil }
        return RuleTrial(try RulesFile.read(rules, file: "f", now: 0)).outcome(for: exchange)
    }

    @Test func `a rule trial returns the messages as they would have been sent and as received`()
        throws
    {
        let found = try outcome(
            rule(
                "a",
                """
                request = [
                  { send_to = "https://b.test", host = "keep" },
                  { set = "header:X", value = "1" },
                ]
                response = [{ replace = "body", match = 'b', with = "" }]
                """))
        #expect(found.server?.authority == "b.test")
        #expect(found.exchange.request.head?.fields["X"] == nil)
        #expect(found.exchange.request.sentHead?.fields["X"] == "1")
        #expect(found.exchange.request.sentBody == nil)
        let response = try #require(found.exchange.response)
        #expect(response.body.kept == Array("abc".utf8))
        #expect(response.sentBody?.kept == Array("ac".utf8))
        #expect(response.sentHead?.fields["Content-Length"] == "2")
        #expect(!found.isUnsent && found.end == nil)
    }

    @Test func `a rule trial returns no second version of a message that no rule changes`() throws {
        let found = try outcome(rule("a", "request = [{ tag = \"t\" }]"))
        #expect(found.exchange.request.sentHead == nil && found.exchange.request.sentBody == nil)
        #expect(found.exchange.response?.sentHead == nil && found.server == nil)
    }

    @Test(arguments: [true, false])
    func `a rule trial returns a rule's own response or block as the response to the client`(
        answered: Bool
    ) throws {
        let answer = try outcome(
            rule("a", "request = [{ respond = 404, body = \"no\" }]")
                + rule("b", "response = [{ set = \"header:X\", value = \"1\" }]"),
            answered: answered)
        let response = try #require(answer.exchange.response)
        #expect(answer.isUnsent)
        #expect((response.sentHead ?? response.head).status == 404)
        #expect((response.sentHead ?? response.head).fields["X"] == "1")
        #expect((response.sentBody ?? response.body).kept == Array("no".utf8))
        let blocked = try outcome(rule("a", "request = [{ block = 403 }]"), answered: answered)
        #expect(blocked.isUnsent)
        let refusal = try #require(blocked.exchange.response)
        #expect((refusal.sentHead ?? refusal.head).status == 403)
        let closed = try outcome(rule("a", "connect = [{ block = \"close\" }]"), answered: answered)
        #expect(closed.end == "close" && closed.exchange.response == nil)
    }

    // MARK: Misses

    private func reason(_ filter: String, _ exchanges: [Exchange]) throws -> String? {
        let rules = rule("a", "when = '\(filter)'\nresponse = [{ tag = \"t\" }]")
        let set = try RulesFile.read(rules, file: "f", now: 0)
        var misses = RuleMisses(set, now: 0)
        let trial = RuleTrial(set)
        for (number, exchange) in exchanges.enumerated() {
            misses.add(
                exchange, named: "\(number + 1)",
                matching: Set(trial.results(for: exchange).map(\.rule)))
        }
        return misses.reason(of: "a")?.text(showsValues: true)
    }

    @Test
    func `if a rule's filter never matches, the failing part and the nearest value are reported`()
        throws
    {
        let one = try exchange(answeredWith: "text/html")
        var other = one
        other.request.url = try EffectiveTarget.absoluteURL("http://abc.example/x".utf8.span)
        let all = [one, one, other]
        #expect(
            try reason("method=POST host=a.tset", all)
                == "host=a.tset never holds; nearest: a.test (2)")
        #expect(
            try reason("host=abd.example", all)
                == "host=abd.example never holds; nearest: abc.example (1)")
        #expect(
            try reason("(type:json or status=404) path=/x", all)
                == "(type:json or status=404) never holds")
        #expect(
            try reason("not path=/x", all) == "not path=/x never holds; nearest: /x (3)")
        #expect(try reason("status=200", []) == "there was no exchange to test")
        #expect(try reason("status=200", all) == nil)
    }

    @Test
    func `if no exchange meets all of a filter's conditions, a rule trial names the nearest one`()
        throws
    {
        let one = try exchange()
        var other = one
        other.request.url = try EffectiveTarget.absoluteURL("http://b.test/y".utf8.span)
        #expect(
            try reason("host=a.test method=POST path=/y", [other, one, one])
                == "its tests never hold together; nearest: exchange 1, where host=a.test fails: "
                + "b.test")
        var unanswered = one
        unanswered.response = nil
        #expect(
            try reason("host=a.test", [unanswered])
                == "its filter holds for exchange 1, which has no message for its actions")
    }

    @Test func `the reason why a rule's filter never matches can be given without recorded values`()
        throws
    {
        let reason = RuleMisses.Reason.neverMatches(
            part: "reqheader.Cookie=a", nearest: "b", count: 1)
        #expect(reason.text(showsValues: false) == "reqheader.Cookie=a never holds")
    }

    @Test func `a rule trial applies response rules to a response generated by a request rule`()
        throws
    {
        let rules =
            rule("a", "request = [{ respond = 204 }]")
            + rule("b", "request = [{ tag = \"t\" }]")
            + rule("c", "when = 'status=200'\nresponse = [{ tag = \"t\" }]")
            + rule("d", "when = 'status=204'\nresponse = [{ tag = \"t\" }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a answered", "b not reached: a answers", "d tagged"])
    }

    @Test
    func `in a rule trial, filters test messages as received unless a rule has sees = 'changed'`()
        throws
    {
        let rules =
            rule("a", "request = [{ set = \"body\", value = \"xyz\" }]")
            + rule("b", "when = 'reqbody:xyz'\nsees = \"changed\"\nresponse = [{ tag = \"t\" }]")
            + rule("c", "when = 'reqbody:abc'\nresponse = [{ tag = \"t\" }]")
        #expect(
            try results(rules).map { "\($0.rule) \($0.outcome)" }
                == ["a changed", "b tagged", "c tagged"])
    }

    @Test
    func `a rule with sees = 'changed' tests the received request if no rule changed the request`()
        throws
    {
        let rules = rule(
            "a", "when = 'reqbody:abc'\nsees = \"changed\"\nresponse = [{ tag = \"t\" }]")
        #expect(try results(rules).map(\.outcome) == ["tagged"])
    }
}
