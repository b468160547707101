import ProxydExchangeContent
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Routes for rules.
struct RuleRouteTests {
    private let actions = ScriptedActions()

    private func store() throws -> WebStore {
        try WebStore(
            [Exchange.sample(1, "/a"), Exchange.sample(2, "/b")], actions: actions.actions)
    }

    @Test func `the web API lists rules with their hit counts, problems and remarks`() throws {
        actions.set(
            report: RulesReport(
                file: "/c/rules.toml", isDaemonRunning: true,
                rules: [
                    RuleFacts(
                        name: "one", filter: "host:a", group: "g",
                        usage: .init(
                            hitCount: 5, changedCount: 3, failedCount: 1,
                            lastHitNs: 1_800_000_000_000_000_000)),
                    RuleFacts(name: "two", filter: "", isEnabled: false, isTemporary: true),
                ], problems: ["rules.toml:3: no"], remarks: ["one is new"]))
        let value = try store().json("/api/v1/rules")
        #expect(value["file"]?.text == "/c/rules.toml" && value["daemon"] == .bool(true))
        #expect(value["problems"]?.elements == [.string("rules.toml:3: no")])
        #expect(value["remarks"]?.elements == [.string("one is new")])
        let rules = try #require(value["rules"]?.elements)
        #expect(rules.map { $0["name"]?.text } == ["one", "two"])
        #expect(rules[0]["group"]?.text == "g" && rules[0]["hits"] == .number("5"))
        #expect(rules[0]["changed"] == .number("3") && rules[0]["failed"] == .number("1"))
        #expect(rules[0]["last_hit_at"]?.text?.hasPrefix("2027-01-15T08:00:00") == true)
        #expect(rules[1]["hits"] == .null && rules[1]["last_hit_at"] == .null)
        #expect(rules[1]["enabled"] == .bool(false) && rules[1]["temporary"] == .bool(true))
    }

    @Test
    func `the web API returns the rule file, and takes the old and the new text to write it`()
        throws
    {
        let store = try store()
        #expect(try store.json("/api/v1/rules/file")["text"] == .string("# rules\n"))
        let answer = try store.answer(
            .put, "/api/v1/rules/file", body: #"{"text":"new","before":"old"}"#)
        #expect(answer.status == 200 && answer.json["rules"]?.elements == [])
        #expect(actions.calls == ["file", "write <new> over <old>"])
    }

    @Test(arguments: [
        (RuleRefusal.Reason.rules, 422), (.file, 409),
    ])
    func `the web API answers 422 to invalid rules, and 409 if the rule file cannot be written`(
        reason: RuleRefusal.Reason, status: Int
    ) throws {
        actions.fail(RuleRefusal(reason, "rules.toml:2: no such action"))
        let answer = try store().answer(
            .put, "/api/v1/rules/file", body: #"{"text":"a","before":"b"}"#)
        #expect(answer.status == status)
        #expect(answer.json["detail"]?.text == "rules.toml:2: no such action")
    }

    @Test(arguments: [
        (HTTPMethod.put, "/api/v1/rules/file", #"{"text":"a"}"#),
        (.put, "/api/v1/rules/file", #"{"before":"a"}"#),
        (.put, "/api/v1/rules/file", #"{"text":1,"before":""}"#),
        (.patch, "/api/v1/rules/one", "{}"), (.patch, "/api/v1/rules/one", #"{"enabled":1}"#),
        (.put, "/api/v1/rules/file", #"{"text":"a","before":"","force":true}"#),
        (.patch, "/api/v1/rules/one", #"{"enabled":true,"temporary":"yes"}"#),
        (.patch, "/api/v1/rules/one", #"{"enabled":true,"stop":true}"#),
        (.post, "/api/v1/rules/test", "{}"), (.post, "/api/v1/rules/test", #"{"filter":"x:"}"#),
    ])
    func `an invalid rule request in the web API is answered with 400 and changes nothing`(
        method: HTTPMethod, path: String, body: String
    ) throws {
        #expect(try store().answer(method, path, body: body).status == 400)
        #expect(actions.calls.isEmpty)
    }

    @Test(arguments: [
        (#"{"enabled":false}"#, "switch my rule on=false temporary=false"),
        (#"{"enabled":true,"temporary":true}"#, "switch my rule on=true temporary=true"),
    ])
    func `the web API enables or disables a rule in the rule file or temporarily`(
        body: String, call: String
    ) throws {
        actions.set(
            report: RulesReport(
                file: "f", isDaemonRunning: true, rules: [RuleFacts(name: "my rule", filter: "")]))
        let answer = try store().answer(.patch, "/api/v1/rules/my rule", body: body)
        #expect(answer.status == 200 && actions.calls == ["rules", call])
    }

    @Test(arguments: [
        (
            #"{"filter":"host=a","request":["hold"]}"#,
            "add <hold host=a> last in file: [[rule]]\nname = \"hold host=a\"\nwhen = 'host=a'\n"
                + "request = [\n  { hold = true },\n]\n"
        ),
        (
            #"{"name":"n","filter":"","response":["set status=503"],"group":"g","first":true,"#
                + #""temporary":true}"#,
            "add <n> first in memory: [[rule]]\nname = \"n\"\ngroup = \"g\"\n"
                + "response = [\n  { set = \"status\", value = 503 },\n]\n"
        ),
    ])
    func `the web API adds a rule with actions in their short form, and names it if asked to`(
        body: String, call: String
    ) throws {
        let answer = try store().answer(.post, "/api/v1/rules", body: body)
        #expect(answer.status == 200 && actions.calls == ["rules", call])
    }

    @Test(arguments: [
        (#"{"filter":"host=a","request":["throttle 3gg"]}"#, 422, "did you mean 3g?"),
        (#"{"filter":"host=a","request":["explode"]}"#, 422, "request: unknown verb explode"),
        (#"{"filter":"host=a"}"#, 422, "a rule needs an action"),
        (#"{"filter":"hots=a","request":["hold"]}"#, 400, "hots"),
        (#"{"name":"taken","filter":"","request":["hold"]}"#, 409, "taken"),
    ])
    func `a rule with a mistake is not added by the web API, and the answer names the mistake`(
        body: String, status: Int, words: String
    ) throws {
        actions.set(
            report: RulesReport(
                file: "f", isDaemonRunning: true, rules: [RuleFacts(name: "taken", filter: "")]))
        let answer = try store().answer(.post, "/api/v1/rules", body: body)
        #expect(answer.status == status)
        #expect(answer.json["detail"]?.text?.contains(words) == true, "\(answer.json)")
        #expect(actions.calls.allSatisfy { $0 == "rules" })
    }

    @Test(arguments: [
        (HTTPMethod.patch, #"{"filter":"host=b"}"#, "filter of one: host=b"),
        (.patch, #"{"before":"two"}"#, "move one before(\"two\")"),
        (.patch, #"{"before":null}"#, "move one last"),
        (.patch, #"{"lines":"[[rule]]","temporary":true}"#, "replace one in memory: [[rule]]"),
        (.delete, "", "remove one in file"),
    ])
    func `the web API edits, moves and removes a rule`(
        method: HTTPMethod, body: String, call: String
    ) throws {
        actions.set(
            report: RulesReport(
                file: "f", isDaemonRunning: true, rules: [RuleFacts(name: "one", filter: "")]))
        let answer = try store().answer(method, "/api/v1/rules/one", body: body)
        #expect(answer.status == 200 && actions.calls == ["rules", call])
    }

    @Test func `one request to the web API makes one change of a rule`() throws {
        let answer = try store().answer(
            .patch, "/api/v1/rules/one", body: #"{"enabled":true,"filter":"host=b"}"#)
        #expect(answer.status == 400 && actions.calls.isEmpty)
    }

    @Test func `the web API switches all rules of a group, and shows the lines of one rule`() throws
    {
        actions.set(
            report: RulesReport(
                file: "f", isDaemonRunning: true, rules: [RuleFacts(name: "one", filter: "")]))
        let store = try store()
        let answer = try store.answer(
            .patch, "/api/v1/rules", body: #"{"group":"g","enabled":false}"#)
        #expect(answer.status == 200 && actions.calls == ["group g on=false in file"])
        #expect(
            try store.json("/api/v1/rules/one")["lines"]?.text == "[[rule]]\nname = \"one\"\n")
        #expect(try store.answer(.get, "/api/v1/rules/none").status == 404)
    }

    @Test func `the web API maps an exchange to a file that is named after its path`() throws {
        let store = try store()
        let answer = try store.answer(.post, "/api/v1/exchanges/1/map", body: "{}")
        #expect(answer.status == 200)
        #expect(answer.json["notice"]?.text?.hasPrefix("the rule serves a-1") == true)
        #expect(try store.answer(.post, "/api/v1/exchanges/9/map", body: "{}").status == 404)
    }

    @Test func `testing a new rule in the web API shows its lines beside the count`() throws {
        let answer = try store().answer(
            .post, "/api/v1/rules/test", body: #"{"filter":"path=/a","request":["block 403"]}"#)
        #expect(answer.json["matched"] == .number("1"))
        #expect(answer.json["lines"]?.text?.contains("{ block = 403 }") == true)
    }

    @Test func `enabling an unknown rule in the web API is answered with 404`() throws {
        let answer = try store().answer(
            .patch, "/api/v1/rules/none", body: #"{"enabled":true}"#)
        #expect(answer.status == 404 && actions.calls == ["rules"])
        #expect(answer.json["detail"]?.text == "there is no rule named \"none\"")
    }

    @Test(arguments: [
        (["when = 'path=/a'", "when = 'path=/b'"], 2), (["when = 'path=/a'"], 1), ([], 0),
        (["when = 'path=/a'\nenabled = false"], 0), ([""], 2),
    ])
    func `testing rules in the web API counts the exchanges that they match`(
        keys: [String], count: Int
    ) throws {
        let rules = keys.enumerated().map { number, keys in
            "[[rule]]\nname = \"\(number)\"\n\(keys)\nstop = true\n"
        }
        let body = JSONValue.members([("text", .string(rules.joined()))])
        var bytes: [UInt8] = []
        JSONText.write(body, into: &bytes)
        let answer = try store().answer(
            .post, "/api/v1/rules/test", body: String(decoding: bytes, as: UTF8.self))
        #expect(answer.status == 200)
        #expect(answer.json["matched"] == .number("\(count)"))
    }

    @Test
    func `testing invalid rules in the web API is answered with 422 and the line of the mistake`()
        throws
    {
        let answer = try store().answer(
            .post, "/api/v1/rules/test", body: #"{"text":"[[rule]]\nname = 1\n"}"#)
        #expect(answer.status == 422)
        #expect(answer.json["detail"]?.text?.contains("rules.toml:2: ") == true)
    }

    @Test func `testing a rule filter in the web API counts the exchanges that it matches`() throws
    {
        let answer = try store().answer(
            .post, "/api/v1/rules/test", body: #"{"filter":"path=/a"}"#)
        #expect(answer.status == 200)
        #expect(answer.json["matched"] == .number("1"))
        #expect(answer.json["examined"] == .number("2"))
    }

    @Test func `testing an invalid rule filter is answered with 400 and the column of the mistake`()
        throws
    {
        let answer = try store().answer(
            .post, "/api/v1/rules/test", body: #"{"filter":"path=/a and status>"}"#)
        #expect(answer.status == 400 && answer.json["column"] != nil)
    }
}
