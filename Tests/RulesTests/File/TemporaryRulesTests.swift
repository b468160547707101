import ProxydConfigurationText
import ProxydFilter
import ProxydRules
import Testing

/// Changes that no file has, laid over a file's text.
final class TemporaryRulesTests {
    private let file = """
        # mine
        [[rule]]
        name = "a"
        when = 'host=a.test'   # only there
        request = [{ block = 403 }]

        [[rule]]
        name = "b"
        group = "g"
        request = [{ block = 404 }]

        [group.g]
        enabled = true

        """
    private let added = "[[rule]]\nname = \"t\"\nrequest = [{ block = 405 }]\n"
    private var temporary = TemporaryRules()

    private func make(_ changes: RuleChange...) throws -> TemporaryRules.Outcome {
        var outcome = TemporaryRules.Outcome.none
        for change in changes {
            outcome = try temporary.make(change, over: file, file: "f", now: 0)
        }
        return outcome
    }

    private func laid(over text: String) throws -> TemporaryRules.Outcome {
        try temporary.laid(over: text, file: "f", now: 0)
    }

    @Test func `temporary rule changes can add a rule and disable a rule or a group`() throws {
        let outcome = try make(
            .add(name: "t", lines: added, place: .before("b")),
            .switchRule(name: "a", isOn: false), .switchGroup(name: "g", isOn: false))
        #expect(outcome.rules.rules.map(\.name) == ["a", "t", "b"])
        #expect(outcome.rules.rules.map(\.isEnabled) == [false, true, false])
        #expect(outcome.names == ["a", "t", "b"])
        #expect(outcome.text.contains("# only there"))
    }

    @Test func `a temporary rule can be replaced any number of times`() throws {
        _ = try make(.add(name: "t", lines: added, place: .first))
        for status in 500..<700 {
            let lines = "[[rule]]\nname = \"t\"\nrequest = [{ block = \(status % 100 + 400) }]\n"
            _ = try make(.replace(name: "t", lines: lines))
        }
        let outcome = try laid(over: file)
        #expect(outcome.rules.rules.map(\.name) == ["t", "a", "b"])
        #expect(outcome.text.contains("block = 499"))
    }

    @Test func `temporary rule changes can set a filter, replace a rule and move it`() throws {
        let outcome = try make(
            .setFilter(name: "a", filter: "path=/x"),
            .replace(name: "b", lines: "[[rule]]\nname = \"c\"\nrequest = [{ block = 410 }]\n"),
            .move(name: "c", place: .first))
        #expect(outcome.rules.rules.map(\.name) == ["c", "a"])
        #expect(outcome.rules.rules.last?.filter.text == "path=/x")
        #expect(outcome.text.contains("when = 'path=/x'   # only there"))
        #expect(outcome.removed == ["b"])
        #expect(outcome.names == ["a", "c"])
    }

    @Test func `temporary rules keep their place when the rules file changes`() throws {
        _ = try make(
            .add(name: "t", lines: added, place: .before("b")), .switchRule(name: "a", isOn: false))
        let other = file.replacing(
            "# mine\n", with: "[[rule]]\nname = \"new\"\nrequest = [{ block = 400 }]\n\n")
        let outcome = try laid(over: other)
        #expect(outcome.rules.rules.map(\.name) == ["new", "a", "t", "b"])
        #expect(outcome.names == ["a", "t"])
        #expect(outcome.leftOut.isEmpty)
    }

    @Test
    func `temporary changes that do not fit the rules file are skipped until they do`()
        throws
    {
        _ = try make(
            .switchRule(name: "a", isOn: false),
            .add(name: "t", lines: added, place: .first))
        let outcome = try laid(over: added)
        #expect(outcome.rules.rules.map(\.name) == ["t"])
        #expect(outcome.names.isEmpty)
        // That the rule of a change was removed is not worth a report.
        #expect(outcome.leftOut == ["add t: there is a rule named \"t\" already"])
        #expect(try laid(over: file).names == ["a", "t"])
        let broken = "[[rule]\n"
        #expect(throws: ConfigurationError.self) { try laid(over: broken) }
    }

    @Test func `temporary rule changes that undo each other are dropped`() throws {
        let outcome = try make(
            .switchRule(name: "a", isOn: false), .switchRule(name: "a", isOn: true))
        #expect(outcome.text == file)
        #expect(temporary.isEmpty)
        _ = try make(
            .add(name: "t", lines: added, place: .first), .setFilter(name: "t", filter: "path=/"),
            .remove(name: "t"))
        #expect(temporary.isEmpty)
        let without = try make(.remove(name: "a"))
        #expect(without.removed == ["a"])
        #expect(without.rules.rules.map(\.name) == ["b"])
    }

    @Test
    func `a temporary rule with a mistake is rejected, and the line within the rule is reported`()
        throws
    {
        let lines = "[[rule]]\nname = \"x\"\nrequest = [{ blok = 403 }]\n"
        let error = #expect(throws: ConfigurationError.self) {
            try make(.add(name: "x", lines: lines, place: .last))
        }
        #expect(
            error?.problems.map(\.description) == [
                "rule \"x\":3: unknown verb blok; did you mean block?"
            ])
        #expect(throws: ConfigurationError.self) {
            try make(.setFilter(name: "a", filter: "status=200"))
        }
        #expect(throws: RulesText.Problem.noRule("y")) {
            try make(.switchRule(name: "y", isOn: true))
        }
        #expect(throws: RulesText.Problem.notOneRule) {
            try make(.add(name: "t", lines: added + added, place: .last))
        }
        #expect(throws: RulesText.Problem.notOneRule) {
            try make(.add(name: "t", lines: added + "[group.h]\nenabled = true\n", place: .last))
        }
        #expect(throws: RulesText.Problem.nameTaken("b")) {
            try make(.replace(name: "a", lines: added.replacing("\"t\"", with: "\"b\"")))
        }
        #expect(temporary.isEmpty)
    }

    @Test func `a temporary rule can run only scripts that the rules file defines`() throws {
        let script = "[[script]]\nname = \"s\"\ncommand = [\"/bin/cat\"]\n"
        let lines = "[[rule]]\nname = \"t\"\nrequest = [{ run = \"s\" }]\n"
        let outcome = try temporary.make(
            .add(name: "t", lines: lines, place: .last), over: script, file: "f", now: 0)
        #expect(outcome.names == ["t"])
        #expect(throws: ConfigurationError.self) {
            try make(.add(name: "u", lines: lines.replacing("\"t\"", with: "\"u\""), place: .last))
        }
    }

    @Test func `the number of temporary rule changes is limited`() throws {
        for index in 0..<TemporaryRules.changeCountMax {
            _ = try make(.move(name: index % 2 == 0 ? "a" : "b", place: .last))
        }
        #expect(throws: RulesText.Problem.tooManyChanges) {
            try make(.move(name: "a", place: .last))
        }
    }
}
