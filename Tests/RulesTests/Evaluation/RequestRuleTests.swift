import ProxydConfigurationText
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

struct RequestRuleTests {
    /// A request through rules: what a server gets, or what the client does.
    private func exchange(
        _ rules: String, _ request: String, hits: [String: Int] = [:]
    ) throws -> RuleExchange {
        let set = try RulesFile.read(rules, file: "rules.toml", now: 0)
        let wire = request.replacing("\n", with: "\r\n")
        var exchange = try RuleExchange(set, Array(wire.utf8), hits: hits)
        exchange.send()
        return exchange
    }

    private func rule(_ actions: String, when filter: String = "") -> String {
        let condition = filter.isEmpty ? "" : "when = '\(filter)'\n"
        return "[[rule]]\nname = \"r\"\n\(condition)\(actions)\n"
    }

    private let get =
        "GET http://a.test/p?x=1&x=2 HTTP/1.1\nHost: a.test\nAccept:*/*\nx-Id:  7 \n\n"

    @Test
    func `a stop-only rule keeps later rules from acting on requests and responses it matches`()
        throws
    {
        let later =
            "connect = [{ tag = \"c\" }]\nrequest = [{ set = \"header:B\", value = \"1\" }]\n"
            + "response = [{ set = \"header:C\", value = \"1\" }]"
        let rules =
            rule("stop = true", when: "path=/p") + rule(later).replacing("\"r\"", with: "\"b\"")
        var matching = try exchange(rules, get)
        try matching.answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        #expect(matching.sent?.text.contains("B: 1") == false)
        #expect(matching.received?.text.contains("C: 1") == false)
        #expect(
            matching.applied.map { "\($0.rule) \($0.phase.rawValue) \($0.outcome)" }
                == ["b connect tagged", "r request unchanged", "r response unchanged"])
        let other = try exchange(rules, get.replacing("/p?", with: "/q?"))
        #expect(other.sent?.text.contains("B: 1") == true)
    }

    @Test func `a stop-only rule no longer stops later rules once its limit is reached`() throws {
        let rules =
            rule("stop = true\nlimit = 2")
            + rule("request = [{ tag = \"t\" }]").replacing("\"r\"", with: "\"b\"")
        #expect(try exchange(rules, get, hits: ["r": 1]).tags == [])
        #expect(try exchange(rules, get, hits: ["r": 2]).tags == ["t"])
    }

    @Test func `a stop-only rule whose filter needs the response does not buffer the request body`()
        throws
    {
        let rules = rule("stop = true", when: "status=200")
        let post = "POST http://a.test/ HTTP/1.1\nHost: a.test\nContent-Length: 1\n\nx"
        let found = try exchange(rules, post)
        #expect(found.heldBodies == [])
        #expect(found.applied == [])
    }

    @Test func `header fields that no rule edits are forwarded byte for byte`() throws {
        let rules = rule("request = [{ set = \"header:X-New\", value = \"1\" }]")
        let sent = try #require(try exchange(rules, get).sent)
        #expect(
            sent.text
                == "GET /p?x=1&x=2 HTTP/1.1\r\nHost: a.test\r\nAccept:*/*\r\nx-Id:  7 \r\n"
                + "X-New: 1\r\n\r\n"
        )
    }

    @Test func `a header field that a rule sets keeps its position and the spelling of its name`()
        throws
    {
        let rules = rule("request = [{ set = \"header:X-ID\", value = \"8\" }]")
        #expect(try exchange(rules, get).sent?.text.contains("\r\nx-Id: 8\r\n\r\n") == true)
    }

    @Test func `a rule that sets a field to its current value is recorded as unchanged`() throws {
        let rules = rule("request = [{ set = \"header:Accept\", value = \"*/*\" }]")
        let found = try exchange(rules, get)
        #expect(found.applied.map(\.outcome) == ["unchanged"])
        #expect(found.sent?.text.contains("Accept:*/*") == true)
    }

    @Test func `a rule can set, add and remove single cookies`() throws {
        let rules = rule(
            """
            request = [
              { set = "cookie:b", value = "9" },
              { remove = "cookie:a" },
              { add = "cookie:n", value = "1" },
            ]
            """)
        let request = "GET http://a.test/ HTTP/1.1\nHost: a.test\nCookie: a=1; b=2;c=3\n\n"
        let found = try exchange(rules, request)
        #expect(found.sent?.text.contains("\r\nCookie: b=9; c=3; n=1\r\n") == true)
    }

    @Test func `a rule can replace the whole URL, and Host is changed to match`() throws {
        let rules = rule(
            "request = [{ replace = \"url\", match = '^http://a\\.test/', "
                + "with = \"http://b.test:81/v2/\" }]")
        let found = try exchange(rules, get)
        #expect(found.destination?.description == "http://b.test:81/v2/p?x=1&x=2")
        #expect(found.sent?.text.contains("\r\nHost: b.test:81\r\n") == true)
    }

    @Test func `a rule's edit that would make the URL invalid is skipped and recorded`() throws {
        let rules = rule("request = [{ replace = \"path\", match = '^/', with = \" \" }]")
        let found = try exchange(rules, get)
        #expect(found.applied.map(\.outcome) == ["not a URL"])
        #expect(found.sent?.text.hasPrefix("GET /p?x=1&x=2 ") == true)
    }

    @Test(arguments: ["a\\r\\nX-Evil: 1", " a", "a\\u0000b"])
    func `a rule's replacement that is not a valid field value is skipped and recorded`(
        _ template: String
    ) throws {
        let rules = rule(
            "request = [{ replace = \"header:Accept\", match = '.*', with = \"\(template)\" }]")
        let found = try exchange(rules, get)
        #expect(found.applied.map(\.outcome) == ["not a field value"])
        #expect(found.sent?.text.contains("\r\nAccept:*/*\r\n") == true)
    }

    @Test(arguments: [
        "set = \"header:Host\", value = \"a b\"", "set = \"header:Host\", value = \"h/p\"",
        "set = \"cookie:a\", value = \"1; b=2\"", "throttle = { down_kbps = 0 }",
        "set = \"url\", value = \"http://h/\", secret = true",
        "throttle = { cut_after = -1 }", "throttle = { fail_per_10k = 100.5 }",
    ])
    func `invalid values of rule actions are rejected when the rules file is read`(
        _ action: String
    ) throws {
        #expect(throws: ConfigurationError.self) {
            _ = try RulesFile.read(rule("request = [{ \(action) }]"), file: "f", now: 0)
        }
    }

    @Test func `a connect rule can throttle a connection, or make it fail with 502 as if offline`()
        throws
    {
        let slow = try exchange(rule("connect = [{ throttle = \"slow-3g\" }]"), get)
        #expect(slow.throttle?.name == "slow-3g")
        #expect(slow.applied.map { "\($0.phase) \($0.outcome)" } == ["connect throttled"])
        let offline = try exchange(rule("connect = [{ throttle = \"offline\" }]"), get)
        #expect(offline.sent == nil)
        #expect(offline.received?.text.hasPrefix("HTTP/1.1 502 ") == true)
        #expect(throws: ConfigurationError.self) {
            _ = try RulesFile.read(
                rule("response = [{ throttle = \"offline\" }]"), file: "f", now: 0)
        }
    }

    @Test func `the options fail_per_10k and cut_after of a throttle action are parsed`() throws {
        let rules = rule("request = [{ throttle = { fail_per_10k = 2.5, cut_after = 70000 } }]")
        let profile = try exchange(rules, get).throttle?.profile
        #expect(profile == ThrottleProfile(failPer10k: 2.5, cutAfter: 70_000))
    }

    @Test func `a rule can give a body to a request that had none`() throws {
        let rules = rule(
            "request = [{ set = \"method\", value = \"POST\" }, "
                + "{ set = \"body\", value = \"hello\" }]")
        let found = try exchange(rules, get)
        #expect(found.sent?.text.hasPrefix("POST /p?x=1&x=2 ") == true)
        #expect(found.sent?.text.hasSuffix("Content-Length: 5\r\n\r\nhello") == true)
    }

    @Test func `a rule can set arrays, tables and booleans from the TOML file in a JSON body`()
        throws
    {
        let rules = rule(
            "request = [{ set = \"json:a\", value = [1, \"x\", { b = true }] }]")
        let request = """
            POST http://a.test/ HTTP/1.1
            Host: a.test
            Content-Type: application/json
            Content-Length: 15

            {"a": 0, "c":1}
            """
        let found = try exchange(rules, request)
        #expect(found.sent?.text.hasSuffix("{\"a\": [1,\"x\",{\"b\":true}], \"c\":1}") == true)
    }

    @Test func `a request body is buffered only if a rule needs it`() throws {
        let post = """
            POST http://a.test/ HTTP/1.1
            Host: a.test
            Content-Length: 3

            abc
            """
        let header = rule("request = [{ set = \"header:A\", value = \"1\" }]")
        #expect(try exchange(header, post).heldBodies.isEmpty)
        let elsewhere = rule(
            "request = [{ replace = \"body\", match = 'a', with = \"b\" }]", when: "host=b.test")
        #expect(try exchange(elsewhere, post).heldBodies.isEmpty)
        let decidedEarly = rule("request = [{ block = 403 }]", when: "host=b.test reqbody:abc")
        #expect(try exchange(decidedEarly, post).heldBodies.isEmpty)
        let open = rule("request = [{ block = 403 }]", when: "host=a.test reqbody:abc")
        let found = try exchange(open, post)
        #expect(found.heldBodies == [.request])
        #expect(found.received?.text.hasPrefix("HTTP/1.1 403 Forbidden") == true)
    }

    @Test func `a rule no longer acts once its limit of hits is reached`() throws {
        let rules = rule("limit = 2\nrequest = [{ block = 403 }]")
        #expect(try exchange(rules, get, hits: ["r": 1]).received != nil)
        #expect(try exchange(rules, get, hits: ["r": 2]).received == nil)
    }

    @Test func `a resolve action sets the address that a connection is made to`() throws {
        let set = try RulesFile.read(
            rule("connect = [{ resolve = \"127.0.0.9\" }]", when: "host=a.test"), file: "f",
            now: 0)
        let connection = RuledConnection(
            client: "", process: nil, host: "a.test", port: 443, scheme: "tunnel",
            startedAtNs: 0)
        var run = RuleRun(set, connection, usage: CountedUsage(set))
        let decision = run.connect()
        #expect(decision.address == "127.0.0.9")
        #expect(decision.notes.applied.map(\.outcome) == ["changed"])
    }

    @Test func `a rule set knows from its host filters whether any rule can act on a host`() throws
    {
        let rules = (0..<200).map {
            "[[rule]]\nname = \"r\($0)\"\nwhen = 'host=h\($0).test path:/'\n"
                + "request = [{ block = 403 }]\n"
        }
        let set = try RulesFile.read(rules.joined(), file: "f", now: 0)
        #expect(!set.mayAct(on: "a.test"))
        #expect(set.mayAct(on: "h7.test"))
        #expect(!set.mayAct(in: .response, on: "h7.test"))
    }

    @Test(arguments: [
        ("GET", "/users/7", true), ("GET", "/orders/7", false), ("DELETE", "/carts/1", true),
        ("GET", "/carts/1", false),
    ])
    func `a rule set knows from a request's method and path whether any rule can act on it`(
        method: String, path: String, mayAct: Bool
    ) throws {
        let rules = ["path:/users", "method=DELETE path:/carts"].enumerated().map {
            rule("response = [{ set = \"status\", value = 500 }]", when: $1)
                .replacing("\"r\"", with: "\"r\($0)\"")
        }
        let set = try RulesFile.read(rules.joined(separator: "\n"), file: "f", now: 0)
        let head = Array("\(method) http://a.test\(path) HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
        #expect(set.mayAct(on: "a.test"))
        #expect(set.mayAct(on: try RuleExchange(set, head).asked) == mayAct)
    }

    @Test(arguments: [("received", "redirected"), ("changed", "redirected changed")])
    func `only a rule with sees = 'changed' acts on a path that an earlier rule has set`(
        sees: String, tags: String
    ) throws {
        let earlier = rule(
            "request = [{ set = \"path\", value = \"/new\" }, { tag = \"redirected\" }]",
            when: "path=/p")
        let later = rule(
            "sees = \"\(sees)\"\nrequest = [{ tag = \"changed\" }]", when: "path:/new"
        ).replacing("\"r\"", with: "\"later\"")
        #expect(
            try exchange(earlier + later, get).tags == tags.split(separator: " ").map(String.init))
    }
}
