import ProxydConfigurationText
import ProxydHTTPModel
import ProxydRules
import Testing

/// Rules whose actions are tables of their own, and other layouts that TOML allows.
struct RulesTextTablesTests {
    private let text = """
        [[rule]]
        name = "a"
        [[rule.request]]
        set = "header:X"
        value = "1"
        # the second
        [[rule.request]]
        block = 403

        # about b
        [[rule]]
        name = "b"
        [[rule.response]]
        throttle.down_kbps = 5

        [ group . g ]
        enabled = false

        """

    private func edited(_ edit: (inout RulesText) throws -> Void) throws -> RulesText {
        var text = try RulesText(text, file: "f")
        try edit(&text)
        return text
    }

    private func rules(_ text: RulesText) throws -> [Rule] {
        try RulesFile.read(text.text, file: "f", now: 0).rules
    }

    @Test func `removing a rule from the file also removes the tables of its actions`() throws {
        let left = try edited { try $0.remove("a") }
        #expect(left.text.hasPrefix("# about b\n[[rule]]\nname = \"b\"\n"))
        #expect(try rules(left).map { $0.actions(in: .request).count } == [0])
        #expect(try edited { _ in }.text(of: "a").hasSuffix("block = 403\n\n"))
    }

    @Test func `moving a rule in the file also moves the tables of its actions`() throws {
        let moved = try rules(try edited { try $0.move("b", to: .first) })
        #expect(moved.map(\.name) == ["b", "a"])
        #expect(moved.map { $0.actions(in: .request).count } == [0, 2])
        #expect(moved.map { $0.actions(in: .response).count } == [1, 0])
    }

    @Test func `a rule added after another one is placed after the tables of that rule's actions`()
        throws
    {
        let rule = "[[rule]]\nname = \"n\"\nrequest = [{ block = 404 }]\n"
        let added = try rules(try edited { try $0.append(rule, named: "n", at: .after("a")) })
        #expect(added.map(\.name) == ["a", "n", "b"])
        #expect(added.map { $0.actions(in: .request).count } == [2, 1, 0])
    }

    @Test func `a rule's enabled key and filter are inserted above the tables of its actions`()
        throws
    {
        let changed = try edited {
            try $0.setEnabled(false, rule: "a")
            try $0.setFilter("host=a", rule: "a")
        }
        #expect(
            changed.text.hasPrefix(
                "[[rule]]\nenabled = false\nname = \"a\"\nwhen = 'host=a'\n[[rule.request]]\n"))
        #expect(try rules(changed).first?.actions(in: .request).count == 2)
    }

    @Test func `changing an action in a table changes the text of its rule and of no other rule`()
        throws
    {
        let before = try RulesFile.read(text, file: "f", now: 0).rules.map(\.text)
        let after = try RulesFile.read(
            text.replacing("block = 403", with: "block = 404"), file: "f", now: 0
        ).rules.map(\.text)
        #expect(before.first != after.first)
        #expect(before.last == after.last)
    }

    @Test
    func `a line inside an array is not taken for a TOML table even if it begins with a bracket`()
        throws
    {
        let text = """
            [[rule]]
            name = "a"
            request = [{ set = "json:a", value = [
            [1], { b = 2 },
            ] }]

            """
        var edited = try RulesText(text, file: "f")
        #expect(try edited.text(of: "a") == text)
        try edited.remove("a")
        #expect(edited.text == "")
    }

    @Test func `rules written as one inline array can be read but not edited`() throws {
        let text = "rule = [{ name = \"a\", request = [{ block = 403 }] }]\n"
        var inline = try RulesText(text, file: "f")
        #expect(inline.names.isEmpty)
        #expect(throws: RulesText.Problem.writtenInline) { try inline.remove("a") }
        #expect(throws: RulesText.Problem.writtenInline) { try inline.setFilter("", rule: "a") }
        #expect(inline.text == text)
        #expect(try rules(inline).map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("host=a", "when = 'host=a'"), ("path:\"it's\"", "when = \"path:\\\"it's\\\"\""),
    ])
    func `editing a rules file without a final newline adds one`(
        _ filter: String, _ line: String
    ) throws {
        var text = try RulesText("[[rule]]\nname = \"a\"", file: "f")
        try text.setFilter(filter, rule: "a")
        #expect(text.text == "[[rule]]\nname = \"a\"\n\(line)\n")
    }

    @Test func `invalid TOML in a rules file is reported with the file and the line`() {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try RulesText("[[rule]]\nname = a\n", file: "rules.toml")
        }
        #expect(error?.problems.map(\.location) == ["rules.toml:2"])
    }

    @Test func `editing a rule that does not exist throws an error and changes nothing`() throws {
        let edits: [(inout RulesText) throws -> Void] = [
            { try $0.remove("x") }, { try $0.setEnabled(true, rule: "x") },
            { try $0.setFilter("", rule: "x") }, { try $0.move("x", to: .first) },
            { try $0.move("a", to: .after("x")) }, { _ = try $0.text(of: "x") },
            { try $0.replace("x", with: "[[rule]]\nname = \"y\"\n") },
            { try $0.append("[[rule]]\nname = \"n\"\n", named: "n", at: .before("x")) },
        ]
        for edit in edits {
            var changed = try RulesText(text, file: "f")
            #expect(throws: RulesText.Problem.noRule("x")) { try edit(&changed) }
            #expect(changed.text == text)
        }
    }
}
