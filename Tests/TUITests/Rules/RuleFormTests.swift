import ProxydConfigurationText
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydRules
import Testing

@testable import ProxydTUI
import ProxydOperations

@Suite struct `A new rule` {
    private let ruleEditing = ScriptedRuleEditing("# mine\n")

    private func listed(_ rows: [ExchangeRow] = Rows.varied) -> Player {
        var hostActions = HostActions()
        hostActions.ruleEditing = ruleEditing
        let player = Player(ScriptedRows(rows), hostActions: hostActions)
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        player.update(.status(facts))
        return player
    }

    private func notice(_ player: Player) -> String? { player.app.notice?.text }

    @Test func `while a rule is typed, the form counts the exchanges its filter matches`() {
        let player = listed()
        player.type("Ln")
        player.type("teapot")
        player.press(.tab)
        #expect(player.text.contains("would have matched \(Rows.varied.count) exchanges"))
        player.type("method=POST")
        let count = Rows.varied.count { $0.method == "POST" }
        #expect(player.text.contains("would have matched \(count) exchange"))
        player.press(.tab, .tab)
        player.type("set status=418")
        player.press(.enter)
        #expect(
            ruleEditing.current.text
                == "# mine\n\n[[rule]]\nname = \"teapot\"\nwhen = 'method=POST'\nresponse = [\n"
                + "  { set = \"status\", value = 418 },\n]\n")
        let screen = player.app.entries.last?.model as? RulesScreen
        #expect(screen?.selected?.name == "teapot")
    }

    @Test func `a new rule for an exchange is filled in with its host, method and path`() throws {
        let row = Rows.row(1) {
            $0.method = "POST"
            $0.host = "api.example.com"
            $0.path = "/a b/\"x\""
        }
        let player = listed([row, Rows.row(2)])
        player.type("gA")
        #expect(player.text.contains("would have matched 1 exchange"))
        player.type("block 403")
        player.press(.enter)
        let rules = try RulesFile.read(ruleEditing.current.text, file: "f", now: 0).rules
        #expect(
            rules.map(\.filter.text) == [
                "host=api.example.com method=POST path=\"/a b/\\\"x\\\"\""
            ])
        #expect(rules.map(\.name) == ["POST /a b/\"x\""])
    }

    @Test func `Escape in the form for a new rule returns to the screen where it was opened`() {
        let player = listed()
        player.type("A")
        player.press(.escape)
        #expect(player.app.entries.last?.model is ListScreen)
        player.type("Ln")
        player.press(.escape)
        #expect(player.app.entries.last?.model is RulesScreen)
    }

    @Test(arguments: [
        ("", "host=a", "block 403", "a rule needs a name"),
        ("x", "", "blok 403", "unknown verb blok"),
        ("x", "status=200", "block 403", "is not yet known when request actions run"),
        ("x", "hots=a", "block 403", "column 1"), ("x", "", "block 1000", "block"),
    ])
    func `a mistake in the form for a new rule is shown, and the form stays open`(
        _ name: String, _ filter: String, _ request: String, _ words: String
    ) {
        let player = listed()
        player.type("Ln" + name)
        player.press(.tab)
        player.type(filter)
        player.press(.tab)
        player.type(request)
        player.press(.enter)
        #expect(player.app.entries.last?.model is RuleForm)
        #expect(player.text.contains(words), "\(player.text)")
        player.press(.escape)
        #expect(ruleEditing.current.text == "# mine\n")
    }

    @Test func `a new rule with the name of another rule is rejected, and the form stays open`() {
        ruleEditing.set { $0.text = "[[rule]]\nname = \"a\"\nrequest = [{ block = 404 }]\n" }
        let player = listed()
        player.type("Lna")
        player.press(.tab, .tab)
        player.type("block 403")
        player.press(.enter)
        #expect(player.text.contains("there is a rule named \"a\" already"))
        player.type("b")
        player.press(.enter)
        #expect(ruleEditing.current.text.contains("name = \"ab\""))
    }

    @Test func `a new rule without actions opens in the editor, and n reopens it after a mistake`()
    {
        let player = listed()
        player.type("Lnx")
        player.press(.enter)
        #expect(player.editing?.text.contains("# { block = 403 },") == true)
        player.edit("[[rule]]\nname = \"x\"\nrequest = [{ blok = 403 }]\n")
        #expect(notice(player)?.hasSuffix("n opens it again") == true)
        player.type("n")
        #expect(player.editing?.text.contains("blok") == true)
        player.edit("[[rule]]\nname = \"y\"\nrequest = [{ block = 403 }]\n")
        #expect(notice(player) == "y is added")
        player.type("n")
        #expect(player.app.entries.last?.model is RuleForm)
    }

    @Test
    func `the editor's template for a rule is a valid rule once its examples are uncommented`()
        throws
    {
        var draft = RuleDraft()
        draft.name = "x \"y\""
        draft.filter = "host=a"
        let unchanged = #expect(throws: ConfigurationError.self) {
            try RulesFile.read(draft.skeleton, file: "f", now: 0)
        }
        #expect(unchanged?.problems.count == 1)
        #expect(unchanged?.problems.first?.message.hasPrefix("this rule has nothing to do") == true)
        let examples = draft.skeleton.replacing("# {", with: "{")
        let all = try RulesFile.read(examples, file: "f", now: 0).rules
        #expect(all.map(\.name) == ["x \"y\""])
        #expect(all.first?.actions(in: .request).count == 5)
        #expect(all.first?.actions(in: .response).count == 3)
    }

    @Test
    func `pressing M adds a rule that serves a captured body from a file, and names that file`() {
        let player = listed([Rows.row(7) { $0.path = "/app/main.js" }])
        player.type("M")
        #expect(player.text.contains("main.js"))
        player.press(.enter)
        #expect(notice(player) == "main.js is served by the rule \"map /app/main.js\"")
        let order = ruleEditing.current.orders.first
        #expect(order?.id.rawValue == 7)
        #expect(order?.file == "main.js")
        #expect(order?.isTemporary == false)
        #expect(player.app.entries.count == 1)
    }

    @Test
    func `a rule serving a captured body can be added in memory if the rule file is unwritable`() {
        ruleEditing.set { $0.writeProblem = "rules.toml: Permission denied" }
        let player = listed()
        player.type("M")
        player.press(.enter)
        #expect(player.text.contains("Permission denied"))
        player.type("t")
        #expect(ruleEditing.current.orders.map(\.isTemporary) == [true])
    }
}
