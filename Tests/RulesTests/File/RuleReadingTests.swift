import ProxydConfigurationText
import ProxydFilter
import ProxydHTTPModel
import ProxydRules
import Testing

/// What a rules file means: defaults, groups, names of the configuration, and short forms.
struct RuleReadingTests {
    private func read(_ text: String) throws -> RuleSet {
        try RulesFile.read(text, file: "f", now: 0)
    }

    private func verb(_ action: String, in phase: RulePhase = .request) throws -> RuleVerb? {
        let text = "[[rule]]\nname = \"r\"\n\(phase.rawValue) = [{ \(action) }]\n"
        return try read(text).rules.first?.actions(in: phase).first?.verb
    }

    @Test func `a rule with only a name and an action has the defaults of all other keys`() throws {
        let rules = try read("[[rule]]\nname = \"r\"\nrequest = [{ tag = \"t\" }]\n")
        let rule = try #require(rules.rules.first)
        #expect(rule.isEnabled && !rule.stops && rule.view == .received)
        #expect(rule.group == nil && rule.hitCountMax == nil && rule.filter.matchesEverything)
        #expect(rules.mayAct(on: "a.test"))
    }

    @Test
    func `a disabled group disables its rules, and an enabled one does not enable a disabled rule`()
        throws
    {
        let rules = try read(
            """
            [group]
            off.enabled = false
            on.enabled = true
            [[rule]]
            name = "a"
            group = "off"
            stop = true
            [[rule]]
            name = "b"
            group = "on"
            stop = true
            [[rule]]
            name = "c"
            group = "none"
            stop = true
            [[rule]]
            name = "d"
            group = "on"
            enabled = false
            stop = true
            """)
        #expect(rules.rules.map(\.isEnabled) == [false, true, true, false])
    }

    @Test
    func `a rule set lists the upstreams and certificates its rules name, with line numbers`()
        throws
    {
        let rules = try read(
            """
            [[rule]]
            name = "a"
            connect = [
              { via = "corp" },
              { client_certificate = "mine" },
              { via = "direct" },
            ]
            [[rule]]
            name = "b"
            enabled = false
            connect = [{ via = "home" }]
            """)
        #expect(rules.namedUpstreams.map(\.name) == ["corp", "home"])
        #expect(rules.namedUpstreams.map(\.line) == [4, 11])
        #expect(rules.namedCertificates.map(\.line) == [5])
    }

    @Test(arguments: [
        "127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:DB8::1", "::ffff:1.2.3.4",
    ])
    func `a resolve action keeps the address as written`(_ text: String) throws {
        guard case .resolve(let address)? = try verb("resolve = \"\(text)\"", in: .connect) else {
            Issue.record("another action for \(text)")
            return
        }
        #expect(address == text)
    }

    @Test func `options that a rule action omits have their defaults`() throws {
        guard case .hold(let hold)? = try verb("hold = true"),
            case .delay(let delay)? = try verb("delay_ms = 600000"),
            case .serve(let files)? = try verb("serve = \"/srv\""),
            case .sendTo(let mapping)? = try verb("send_to = \"http://h.test\""),
            case .throttle(let network)? = try verb("throttle = {}")
        else {
            Issue.record("other actions")
            return
        }
        #expect(hold.seconds == 300 && hold.otherwise == .pass)
        #expect(delay.milliseconds == 600_000 && delay.jitterMilliseconds == 0)
        #expect(files.index == "index.html" && files.missing == .notFound)
        #expect(files.stripped.isEmpty && files.fields.isEmpty)
        #expect(mapping.host == .change && mapping.stripped.isEmpty)
        #expect(network.profile == ThrottleProfile() && network.scope == .rule)
        #expect(network.name == "custom")
    }

    @Test
    func `the numbers of a throttle action are read from the file, and its seed may be negative`()
        throws
    {
        let text =
            "throttle = { down_kbps = 1, up_kbps = 100_000_000, latency_ms = 60000, "
            + "stall_percent = 100, fail_per_10k = 0.5, cut_after = 0, seed = -1, "
            + "scope = \"connection\" }"
        guard case .throttle(let network)? = try verb(text) else {
            Issue.record("another action")
            return
        }
        let wanted = ThrottleProfile(
            downKbps: 1, upKbps: 100_000_000, latencyMs: 60_000, stallPercent: 100,
            failPer10k: 0.5, cutAfter: 0, seed: .max)
        #expect(network.profile == wanted && network.scope == .connection)
    }

    @Test func `the fields of a respond action lose only the spaces around their values`() throws {
        let text =
            "respond = 200, type = \"text/plain\", "
            + "headers = [\"A:  b  c \", \"a:\", \"X:y:z\"]"
        guard case .respond(let answer)? = try verb(text) else {
            Issue.record("another action")
            return
        }
        #expect(
            answer.fields.pairs.map { "\($0.name)=\($0.value)" } == [
                "Content-Type=text/plain", "A=b  c", "a=", "X=y:z",
            ])
        #expect(answer.head.reason == "OK")
    }

    @Test(arguments: [
        ("set json:a=007", "\"007\""), ("set json:a=-0", "-0"), ("set json:a=+5", "+5"),
        ("set json:a=00.5", "\"00.5\""), ("set json:a=-01", "\"-01\""), ("set json:a=1.", "\"1.\""),
        ("set json:a=true", "true"), ("set json:a=null", "\"null\""), ("set json:a=", "\"\""),
        ("set json:a=1e5", "\"1e5\""),
        ("set json:a=99999999999999999999", "\"99999999999999999999\""),
        ("set header:A=1", "\"1\""), ("set query:a=true", "\"true\""),
        ("set query:A=\"b\\\u{7F}\"", "\"\\\"b\\\\\\u007f\\\"\""), ("set  header:A=1", "\"1\""),
    ])
    func `the value in an action's short form becomes a TOML value of the matching type`(
        _ short: String, _ value: String
    ) throws {
        let table = try RuleShortForm.table(short)
        #expect(table.hasSuffix(", value = \(value) }"), "\(table)")
        _ = try read("[[rule]]\nname = \"r\"\nrequest = [\(table)]\n")
    }

    @Test(arguments: [
        ("", "the action is empty"), ("   ", "the action is empty"),
        ("blok 403", "unknown verb blok; did you mean block?"),
        ("set header:A", "header:A has no ="), ("set", "has no ="), ("add x", "x has no ="),
        ("replace body", "replace has no short form"),
    ])
    func `an invalid short form of an action is rejected with a reason`(
        _ short: String, _ message: String
    ) {
        let problem = #expect(throws: RuleShortForm.Problem.self) {
            _ = try RuleShortForm.table(short)
        }
        #expect(problem?.description.contains(message) == true, "\(problem?.description ?? "")")
    }

    @Test(arguments: [
        "host=a.test", "path:\"it's\"", "path~a\\d", "path:\"a\u{7F}b\"", "path:\"a\tb\"",
        "path:\"é\u{2028}\"",
    ])
    func `a filter that is written into a rules file is read back unchanged`(_ filter: String)
        throws
    {
        let text = RuleShortForm.rule(
            "a \"b\"", when: filter, options: [("stop", "true")],
            actions: [(.response, "{ block = 500 }"), (.request, "{ tag = \"t\" }")])
        let rule = try #require(try read(text).rules.first)
        #expect(rule.name == "a \"b\"" && rule.filter.text == filter && rule.stops)
        #expect(rule.actions(in: .request).count == 1 && rule.actions(in: .connect).isEmpty)
        #expect(rule.actions(in: .response).count == 1)
        var moved = try RulesText(text, file: "f")
        try moved.setFilter("host=b", rule: "a \"b\"")
        try moved.setFilter(filter, rule: "a \"b\"")
        #expect(try read(moved.text).rules.first?.filter.text == filter)
    }
}

struct RulePhaseTests {
    @Test func `the phases of a rule are named connect, request and response`() {
        #expect(RulePhase.allCases.map(\.rawValue) == ["connect", "request", "response"])
    }
}
