import ProxydCaptureModel
import ProxydOperations
import Testing

@testable import ProxydTUI

/// Break on this: one key makes a temporary rule that holds, and turns holding on.
@Suite struct `Breaking on an exchange` {
    private let ruleEditing = ScriptedRuleEditing("# mine\n")
    private let holds = ScriptedHolds(head: "")

    private func player(_ rows: [ExchangeRow], columns: Int = 80) -> Player {
        let player = Player(rows, size: Size(columns: columns, rows: 24))
        player.hostActions.ruleEditing = ruleEditing
        player.hostActions.holdHandling = holds
        return player
    }

    private let orders = Rows.row(1) {
        $0.method = "POST"
        $0.path = "/v2/orders"
    }

    @Test(arguments: [[], [Key.enter]], [80, 160])
    func `pressing B on the list and in an exchange makes a temporary rule and turns holding on`(
        _ before: [Key], _ columns: Int
    ) throws {
        let player = player([orders], columns: columns)
        for key in before { player.press(key) }
        player.type("B")
        let rule = try #require(try ruleEditing.rules().rules.first)
        #expect(rule.name == "break on POST /v2/orders")
        #expect(rule.filter == "host=example.com method=POST path=/v2/orders")
        #expect(rule.isTemporary)
        #expect(try ruleEditing.lines(of: rule.name).contains("request = [\n  { hold = true },\n]"))
        #expect(ruleEditing.current.text == "# mine\n")
        #expect(holds.decisions == ["take true"])
        #expect(
            player.text.contains(
                "requests like this are held from now on; H shows them, B here ends it"))
    }

    @Test func `pressing B again removes the rule`() throws {
        let player = player([orders])
        player.type("BB")
        #expect(try ruleEditing.rules().rules.isEmpty)
        #expect(player.text.contains("requests like this are no longer held"))
    }

    @Test func `the same path of another host gets a rule with the host in its name`() throws {
        let other = Rows.row(2) {
            $0.method = "POST"
            $0.path = "/v2/orders"
            $0.host = "staging.example.com"
        }
        let player = player([orders, other])
        player.type("BgB")
        #expect(
            try ruleEditing.rules().rules.map(\.name) == [
                "break on POST /v2/orders", "break on POST /v2/orders at example.com",
            ])
        player.type("B")
        #expect(try ruleEditing.rules().rules.map(\.name) == ["break on POST /v2/orders"])
    }

    @Test func `without proxyd, or on a request without a path, B says why nothing can be held`() {
        let player = player([
            Rows.row(1) {
                $0.path = nil
                $0.method = "CONNECT"
            }
        ])
        player.type("B")
        #expect(
            player.text.contains("only a request with a host, a method and a path can be held"))
        ruleEditing.set { $0.isDaemonRunning = false }
        player.type("B")
        #expect(player.text.contains("proxyd is not running: nothing can be held"))
        #expect(holds.decisions.isEmpty)
    }

    @Test func `hold is the first action that the form and the editor's template suggest`() {
        let player = player([orders])
        player.type("A")
        #expect(player.lines.contains { $0.contains("Request") && $0.contains(" hold   block") })
        player.press(.enter)
        let template = player.editing?.text ?? ""
        let examples = template.split(separator: "\n").filter { $0.contains("# {") }
        #expect(examples.first?.contains("hold = true") == true)
    }
}
