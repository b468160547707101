import ProxydCaptureModel
import ProxydFilter
import ProxydRules
import Testing

@testable import ProxydTUI
import ProxydOperations

@Suite struct `The screen of rules` {
    private static let text = """
        # what we do to the api
        [[rule]]
        name = "staging"
        when = 'host=api.example.com path:/v2/'  # not yet /v3/
        request = [{ send_to = "https://staging.example.com", host = "keep" }]

        [[rule]]
        name = "ads"
        group = "noise"
        request = [{ block = 403 }]

        [[rule]]
        name = "slow"
        enabled = false
        when = 'path:/video'
        request = [{ throttle = "slow-3g" }]

        [group.noise]
        enabled = true

        """
    private let ruleEditing = ScriptedRuleEditing(text)

    private func opened(
        _ rows: [ExchangeRow] = Rows.varied, size: Size = Size(columns: 80, rows: 24)
    ) -> Player {
        var hostActions = HostActions()
        hostActions.ruleEditing = ruleEditing
        let player = Player(ScriptedRows(rows), size: size, hostActions: hostActions)
        var facts = StatusFacts()
        facts.isDaemonRunning = ruleEditing.current.isDaemonRunning
        player.update(.status(facts))
        player.type("L")
        return player
    }

    private func screen(_ player: Player) -> RulesScreen? {
        player.app.entries.last?.model as? RulesScreen
    }

    private func notice(_ player: Player) -> String? { player.app.notice?.text }

    private func names(_ player: Player) -> [String]? { screen(player)?.rules.map(\.name) }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ])
    func `the rules screen matches its golden file at 80, 120 and 200 columns`(_ size: Size) throws
    {
        ruleEditing.set { state in
            state.usages["staging"] = RuleFacts.Usage(
                hitCount: 12_345, changedCount: 12_340, failedCount: 5,
                lastHitNs: Rows.start + 59_000_000_000)
        }
        _ = try ruleEditing.change(.switchRule(name: "slow", isOn: true), isTemporary: true)
        let player = opened(size: size)
        player.type("j")
        try Golden.expect(player.text, "rules-\(size.columns)x\(size.rows)")
    }

    @Test func `pressing Space switches a rule off and on, and the file keeps its comments`() {
        let player = opened()
        player.press(.space)
        #expect(screen(player)?.selected?.isEnabled == false)
        #expect(notice(player) == "staging is switched off")
        #expect(
            ruleEditing.current.text
                == Self.text.replacing(
                    "name = \"staging\"", with: "enabled = false\nname = \"staging\""))
        player.press(.space)
        #expect(ruleEditing.current.text.contains("enabled = true\nname = \"staging\""))
    }

    @Test func `pressing u enables or disables the group of the selected rule`() {
        let player = opened()
        player.type("u")
        #expect(notice(player) == "staging is in no group")
        player.type("ju")
        #expect(ruleEditing.current.text.hasSuffix("[group.noise]\nenabled = false\n"))
        #expect(screen(player)?.selected?.isEnabled == false)
    }

    @Test func `a rule can be moved up and down, and the cursor stays on it`() {
        let player = opened()
        player.type("J")
        #expect(names(player) == ["ads", "staging", "slow"])
        #expect(screen(player)?.selected?.name == "staging")
        player.type("JJ")
        #expect(names(player) == ["ads", "slow", "staging"])
        player.press(Key(.up, .alt))
        #expect(names(player) == ["ads", "staging", "slow"])
        #expect(ruleEditing.current.text.contains("# not yet /v3/"))
    }

    @Test func `a rule is removed only after confirmation`() {
        let player = opened()
        player.type("d")
        player.press(.enter)
        #expect(names(player)?.count == 3)
        player.type("dn")
        #expect(names(player)?.count == 3)
        player.type("dy")
        #expect(names(player) == ["ads", "slow"])
        #expect(!ruleEditing.current.text.contains("what we do"))
    }

    @Test func `while a rule's filter is edited, the exchanges that it matches are counted`() {
        let player = opened()
        player.type("f")
        #expect(player.text.contains("/host=api.example.com path:/v2/"))
        player.press(.control("u"))
        player.type("method=POST")
        let count = Rows.varied.count { $0.method == "POST" }
        #expect(count > 0)
        #expect(player.text.contains("\(count) match"))
        player.press(.enter)
        #expect(screen(player)?.selected?.filter == "method=POST")
        #expect(ruleEditing.current.text.contains("when = 'method=POST'  # not yet /v3/"))
    }

    @Test
    func `the filter bar rejects a filter on the response for a rule that has request actions`() {
        let player = opened()
        player.type("f")
        player.press(.control("u"))
        player.type("status=200")
        player.press(.enter)
        #expect(player.text.contains("/status=200"))
        #expect(player.text.contains("is not yet known when request actions run"))
        player.press(.escape)
        #expect(ruleEditing.current.text == Self.text)
    }

    @Test func `a rule is edited in the external editor, and invalid text is kept for correction`()
    {
        let player = opened()
        player.type("e")
        #expect(player.editing?.text.hasPrefix("# what we do to the api\n[[rule]]\n") == true)
        #expect(player.editing?.text.contains("ads") == false)
        player.edit(nil)
        #expect(ruleEditing.current.text == Self.text)
        let wrong = "[[rule]]\nname = \"staging\"\nrequest = [{ blok = 403 }]\n"
        player.type("e")
        player.edit(wrong)
        #expect(notice(player)?.contains("unknown verb blok") == true)
        #expect(notice(player)?.hasSuffix("e opens it again") == true)
        player.type("e")
        #expect(player.editing?.text == wrong)
        player.edit(wrong.replacing("blok", with: "block"))
        #expect(notice(player) == "staging is changed")
        player.type("e")
        #expect(player.editing?.text.contains("block = 403") == true)
    }

    @Test
    func `saving the edited rules file does not overwrite concurrent changes without a warning`() {
        let player = opened()
        player.type("E")
        #expect(player.editing?.text == Self.text)
        ruleEditing.set { $0.text = "# theirs\n" }
        player.edit("# ours\n")
        #expect(notice(player)?.contains("was changed meanwhile") == true)
        #expect(ruleEditing.current.text == "# theirs\n")
        player.type("E")
        #expect(player.editing?.text == "# ours\n")
        #expect(notice(player)?.contains("this replaces it") == true)
        player.edit("# both\n")
        #expect(ruleEditing.current.text == "# both\n")
    }

    @Test func `if the rules file cannot be written, pressing t makes the change in memory`() {
        ruleEditing.set { $0.writeProblem = "rules.toml: Permission denied" }
        let player = opened()
        player.press(.space)
        #expect(notice(player) == "rules.toml: Permission denied")
        player.press(.escape)
        #expect(ruleEditing.current.temporary.isEmpty)
        player.press(.space)
        player.type("t")
        #expect(ruleEditing.current.text == Self.text)
        #expect(screen(player)?.selected?.isTemporary == true)
        #expect(screen(player)?.selected?.isEnabled == false)
        // What is in memory is changed there.
        player.press(.space)
        #expect(screen(player)?.selected?.isTemporary == false)
        #expect(ruleEditing.current.temporary.isEmpty)
    }

    @Test func `pressing t makes later rule changes temporary, and pressing U discards them`() {
        let player = opened()
        player.type("t")
        player.press(.space)
        player.type("jK")
        #expect(names(player) == ["ads", "staging", "slow"])
        #expect(ruleEditing.current.text == Self.text)
        #expect(player.text.contains("~ changes are temporary"))
        player.type("U")
        #expect(names(player) == ["staging", "ads", "slow"])
        player.type("t")
        player.press(.space)
        #expect(ruleEditing.current.text != Self.text)
    }

    @Test
    func `without a daemon, the rules file can be edited, but temporary changes cannot be made`() {
        ruleEditing.set { $0.isDaemonRunning = false }
        let player = opened()
        #expect(player.text.contains("no daemon is running"))
        player.press(.space)
        #expect(notice(player) == "staging is switched off; no daemon is running")
        player.type("t")
        #expect(notice(player)?.contains("no daemon is running") == true)
        player.press(.space)
        #expect(ruleEditing.current.temporary.isEmpty)
    }

    @Test
    func `the first mistake in the rules file is shown with its line, and the others are counted`()
    {
        ruleEditing.set {
            $0.problems = [
                "\(ScriptedRuleEditing.file):12: unknown verb blok",
                "\(ScriptedRuleEditing.file):14: too",
            ]
        }
        let player = opened()
        #expect(player.text.contains(" rules.toml:12: unknown verb blok  and 1 mistake more"))
    }

    @Test
    func `the rules screen reads the rules again at most once a second, and only while it is open`()
    {
        let player = opened()
        let count = ruleEditing.current.readCount
        for _ in 0..<5 { player.update(.storeChanged) }
        #expect(ruleEditing.current.readCount == count)
        ruleEditing.set {
            $0.usages["ads"] = RuleFacts.Usage(
                hitCount: 7, changedCount: 6, failedCount: 1, lastHitNs: nil)
        }
        player.now += 1_000_000_000
        for _ in 0..<5 { player.update(.storeChanged) }
        #expect(ruleEditing.current.readCount == count + 1)
        #expect(player.lines.contains { $0.contains("ads") && $0.contains("7") })
        player.type("q")
        player.now += 5_000_000_000
        player.update(.storeChanged)
        #expect(ruleEditing.current.readCount == count + 1)
    }

    @Test func `Enter on a rule lists the exchanges that the rule acted on`() {
        let player = opened()
        player.press(.enter)
        let list = player.app.entries.last?.model as? ListScreen
        #expect(list?.filter.text == "rule=staging")
    }

    @Test
    func `Enter on a rule opens the exchange list even if the rules were opened from an exchange`()
    {
        let player = opened()
        player.type("q")
        player.press(.enter)
        player.type("L")
        player.press(.enter)
        let list = player.app.entries.last?.model as? ListScreen
        #expect(list?.filter.text == "rule=staging")
    }

    @Test func `control and invisible characters in rule names are not drawn`() {
        ruleEditing.set {
            $0.text = "[[rule]]\nname = \"a\\u202Eb\\u001B[2J\"\ngroup = \"\\u200B\"\n"
        }
        let player = opened(size: Size(columns: 120, rows: 24))
        for scalar in player.text.unicodeScalars {
            #expect(scalar == "\n" || scalar.properties.generalCategory != .control)
            #expect(scalar.properties.generalCategory != .format)
        }
    }

    @Test func `rules are shown even if no exchange was recorded`() {
        let player = opened([])
        #expect(names(player) == ["staging", "ads", "slow"])
    }

    @Test func `the rules screen says if there are no rules`() {
        ruleEditing.set { $0.text = "" }
        #expect(opened().text.contains("no rules yet"))
    }

    @Test func `a click on a rule selects it; the wheel and clicks elsewhere keep the selection`() {
        let player = opened()
        player.mouse(.press, column: 5, row: 2)
        #expect(screen(player)?.selected?.name == "ads")
        player.mouse(.press, column: 5, row: 0)
        player.mouse(.press, column: 5, row: 12)
        #expect(screen(player)?.selected?.name == "ads")
        player.mouse(.scrollDown, column: 5, row: 2)
        #expect(screen(player)?.selected?.name == "ads")
        player.type("G")
        #expect(screen(player)?.selected?.name == "slow")
        player.type("g")
        #expect(screen(player)?.selected?.name == "staging")
    }

    @Test func `a rule change is reported even if the rules screen is closed right afterwards`() {
        let player = opened()
        player.heldSlots = ["rule.change"]
        player.type("s")
        player.press(.escape)
        #expect(player.app.entries.count == 1)
        player.runHeld()
        #expect(notice(player) == "staging is switched off")
    }
}
