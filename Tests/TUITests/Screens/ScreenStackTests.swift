import ProxydCaptureModel
import ProxydFilter
import Testing

@testable import ProxydTUI
import ProxydOperations

/// What works, dialogs and screens tell each other, each in the type of who is told.
@Suite struct `The stack of screens` {
    /// Two screens of one kind, which tell different types: what a test wants is done by keys.
    private struct Probe: ScreenModel {
        typealias Answer = String

        enum News: Sendable, Equatable {
            case typed(String)
            case below(String)
            case reported(Int)
            case done(Int)
        }

        let title: String
        var told: [News] = []
        var failures: [String] = []
        var edited: [String] = []
        var lookCount = 0
        /// The screen of this title closes when its work is done.
        private let closesWhenDone = "one+"

        init(_ title: String) { self.title = title }

        mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
            guard case .key(let key) = event else { return nil }
            switch key {
            case Key("1"): return [.ask(PromptScreen("Text", "")) { .typed($0) }]
            case Key("2"): return [.ask(Probe("\(title)+")) { .below($0) }]
            case Key("3"): return [.answer("from \(title)")]
            case Key("4"): return [.become(Probe("\(title)*"))]
            case Key("5"):
                return [
                    .work(
                        Work("count", on: .counts) { _, report in
                            report(.reported(1))
                            report(.reported(2))
                            return .done(3)
                        })
                ]
            case Key("6"):
                return [.work(Work("count", on: .counts) { _ in throw WorkFailure("no") })]
            case Key("7"): return [.edit(EditRequest(fileExtension: "txt", bytes: []))]
            case Key("8"):
                return [.work(Work("keep", on: .actions, isKept: true) { _ in .done(8) })]
            case Key("9"):
                return [.act(Work("act", on: .actions, isKept: true) { _ in .success("acted") })]
            case Key("0"):
                return [
                    .act(
                        Work("act", on: .actions, isKept: true) { _ in throw WorkFailure("never") })
                ]
            default: return nil
            }
        }

        mutating func receive(_ news: News, _ context: Context) -> [Effect] {
            told.append(news)
            return news == .done(3) && title == closesWhenDone ? [.close] : []
        }

        mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
            failures.append("\(slot): \(words)")
            return []
        }

        mutating func take(_ edited: EditedText, _ context: Context) -> [Effect] {
            self.edited.append(String(decoding: edited.bytes ?? [], as: UTF8.self))
            return []
        }

        mutating func storeChanged(_ context: Context) -> [Effect] {
            lookCount += 1
            return []
        }

        static func notice(of news: News) -> Notice? { .success("\(news)") }

        func draw(into canvas: Canvas, _ context: Context) {}
    }

    private let player = Player(ScriptedRows([]), first: Probe("one"))

    private func probes() -> [Probe] { player.app.entries.compactMap { $0.model as? Probe } }

    @Test func `text entered in a dialog is passed to the screen that opened the dialog`() {
        player.type("1hello")
        player.press(.enter)
        #expect(probes().map(\.told) == [[.typed("hello")]])
        player.type("1no")
        player.press(.escape)
        #expect(probes().map(\.told) == [[.typed("hello")]])
    }

    @Test
    func `a screen that returns a result is closed, and the screen below receives the result`() {
        player.type("223")
        #expect(probes().map(\.title) == ["one", "one+"])
        #expect(probes().map(\.told) == [[], [.below("from one++")]])
        player.type("3")
        #expect(probes().map(\.told) == [[.below("from one+")]])
    }

    @Test
    func `the result of a screen that replaced another goes to the screen below the replaced one`()
    {
        player.type("243")
        #expect(probes().map(\.title) == ["one"])
        #expect(probes().map(\.told) == [[.below("from one+*")]])
    }

    @Test func `a background task reports progress, result or failure only to its own screen`() {
        player.type("2")
        player.press(.escape)
        player.type("56")
        #expect(probes().map(\.told) == [[.reported(1), .reported(2), .done(3)]])
        #expect(probes().map(\.failures) == [["count: no"]])
    }

    @Test func `a background task that is not kept after its screen is closed reports nothing`() {
        player.heldSlots = ["count"]
        player.type("25")
        player.press(.escape)
        player.runHeld()
        #expect(probes().map(\.told) == [[]])
        #expect(player.app.notice == nil)
    }

    @Test
    func `the result of a task that is kept after its screen is closed appears in the hint line`() {
        player.heldSlots = ["keep"]
        player.type("28")
        player.press(.escape)
        player.runHeld()
        #expect(probes().map(\.told) == [[]])
        #expect(player.app.notice == .success("done(8)"))
    }

    @Test func `the result of an action is shown in the hint line and not passed to any screen`() {
        player.type("9")
        #expect(player.app.notice == .success("acted"))
        player.type("0")
        #expect(player.app.notice == .problem("never"))
        #expect(probes().map(\.told) == [[]])
        #expect(probes().map(\.failures) == [[]])
    }

    @Test
    func `the result of an action is shown even if another action has started in the meantime`() {
        player.heldSlots = ["act"]
        player.type("99")
        player.press(Key("j"))
        #expect(player.app.notice == nil)
        player.runHeld()
        #expect(player.app.notice == .success("acted"))
        #expect(player.app.running.isEmpty)
    }

    @Test
    func `edited text goes to the screen that requested it; store changes go to all screens`() {
        player.type("27")
        player.type("2")
        player.edit("text")
        player.update(.storeChanged)
        #expect(probes().map(\.edited) == [[], ["text"], []])
        #expect(probes().map(\.lookCount) == [1, 1, 1])
    }

    @Test
    func `text entered in a dialog is discarded if the screen that opened the dialog was closed`() {
        player.heldSlots = ["count"]
        player.type("25")
        player.press(Key("1"))
        // The work ends while the dialog is open, and takes its screen away.
        player.runHeld()
        player.type("late")
        player.press(.enter)
        #expect(probes().map(\.title) == ["one"])
        #expect(probes().map(\.told) == [[]])
    }

    // MARK: From screen to screen

    /// The list below a player of rules, with one that `Rows.varied` have.
    private func ruled() -> Player {
        let ruleEditing = ScriptedRuleEditing(
            """
            [[rule]]
            name = "ads"
            request = [{ block = 403 }]

            """)
        var hostActions = HostActions()
        hostActions.ruleEditing = ruleEditing
        return Player(
            ScriptedRows([Rows.row(1), Rows.row(2) { $0.rules = ["ads"] }]),
            hostActions: hostActions)
    }

    private func list(_ player: Player) throws -> ListScreen {
        try #require(player.app.entries.first?.model as? ListScreen)
    }

    /// Goes to the first line of the summary that opens an exchange.
    private func goToSlowest(_ player: Player) {
        for _ in 0..<player.screen.size.rows {
            let summary = player.app.entries.last?.model as? SummaryScreen
            if case .open? = summary?.selected?.choice { return }
            player.type("j")
        }
    }

    @Test(arguments: ["L", "\r", "S\r"])
    func `Enter on a rule lists that rule's exchanges, wherever the rules screen was opened from`(
        _ way: String
    )
        throws
    {
        let player = ruled()
        for character in way {
            player.press(character == "\r" ? .enter : Key(character))
            if character == "S" { goToSlowest(player) }
        }
        if way != "L" {
            #expect(player.app.entries.last?.model is DetailScreen)
            player.type("L")
        }
        #expect(player.app.entries.last?.model is RulesScreen)
        player.press(.enter)
        #expect(player.app.entries.count == 1)
        #expect(try list(player).filter.text == "rule=ads")
    }
}
