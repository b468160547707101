import ProxydConfigurationText
import ProxydHTTPModel
import ProxydRules
import Testing

struct RulesTextTests {
    private let text = """
        # What we do.

        # about a
        [[rule]]
        name = "a"   # first
        enabled = true # for now
        request = [
          { block = 403 },
        ]

        [[rule]]
        name = "b"
        response = [{ set = "body", value = \"\"\"
        [[rule]]
        name = "a"
        \"\"\" }]

        [group.g]
        enabled = false

        [[rule]]
        name = "c"
        group = "g"
        request = [{ block = 404 }]

        """

    private func edited(_ edit: (inout RulesText) throws -> Void) throws -> String {
        var text = try RulesText(text, file: "f")
        try edit(&text)
        return text.text
    }

    @Test(arguments: [
        ("request = [{ hold = true }]", "request: { hold = true }"),
        (
            "# why\nrequest = [\n  { block = 403 },\n]\n"
                + "response = [ { delay_ms = 9 }, ]\nstop = true",
            "request: { block = 403 }; response: { delay_ms = 9 }"
        ),
        (
            "[[rule.response]]\nset = \"status\"\nvalue = 503",
            "response: set = \"status\" value = 503"
        ),
        ("stop = true", ""),
    ])
    func `the actions of a rule are shown on one line, however the file writes them`(
        lines: String, shown: String
    ) throws {
        let text = "[[rule]]\nname = \"a\"\nwhen = 'host:a'\n\(lines)\n"
        let rules = try RulesText(text, file: "f")
        #expect(try rules.actionsOfRules() == ["a": shown])
    }

    @Test func `a rules file that is parsed but not edited keeps its text`() throws {
        #expect(try edited { _ in } == text)
        #expect(try RulesText(text, file: "f").names == ["a", "b", "c"])
    }

    @Test func `disabling a rule changes or adds only its enabled key and keeps comments`() throws {
        let off = try edited { try $0.setEnabled(false, rule: "a") }
        #expect(
            off == text.replacing("enabled = true # for now", with: "enabled = false # for now"))
        let other = try edited { try $0.setEnabled(false, rule: "b") }
        #expect(other == text.replacing("name = \"b\"\n", with: "enabled = false\nname = \"b\"\n"))
        #expect(try edited { try $0.setEnabled(true, rule: "b") } == text)
    }

    @Test func `enabling a group changes only the group's enabled key`() throws {
        let on = try edited { try $0.setEnabled(true, group: "g") }
        #expect(
            on == text.replacing("[group.g]\nenabled = false", with: "[group.g]\nenabled = true"))
        #expect(throws: RulesText.Problem.noGroup("x")) {
            try edited { try $0.setEnabled(true, group: "x") }
        }
    }

    @Test func `disabling a group that has no table of its own in the rules file adds one`() throws
    {
        let rules = "[[rule]]\nname = \"a\"\ngroup = \"my group\"\nrequest = [{ block = 403 }]\n"
        var text = try RulesText(rules, file: "f")
        try text.setEnabled(true, group: "my group")
        #expect(text.text == rules)
        try text.setEnabled(false, group: "my group")
        #expect(text.text == rules + "\n[group.\"my group\"]\nenabled = false\n")
        #expect(try RulesFile.read(text.text, file: "f", now: 0).rules.map(\.isEnabled) == [false])
        try text.setEnabled(true, group: "my group")
        #expect(text.text == rules + "\n[group.\"my group\"]\nenabled = true\n")
        #expect(throws: RulesText.Problem.noGroup("a")) { try text.setEnabled(false, group: "a") }
    }

    @Test func `removing a rule from the file also removes the comment directly above it`() throws {
        let left = try edited { try $0.remove("a") }
        #expect(left.hasPrefix("# What we do.\n\n[[rule]]\nname = \"b\"\n"))
        let names = try RulesText(left, file: "f").names
        #expect(names == ["b", "c"])
    }

    @Test func `text inside a string that looks like a rule table is not taken for a rule`() throws
    {
        let left = try edited { try $0.remove("b") }
        #expect(!left.contains("\"\"\""))
        #expect(left.contains("[group.g]"))
        #expect(try RulesText(left, file: "f").names == ["a", "c"])
    }

    @Test func `edits of a rules file with CRLF line endings keep them and add only CRLF`() throws {
        let windows = text.replacing("\n", with: "\r\n")
        var edited = try RulesText(windows, file: "f")
        #expect(edited.text == windows)
        try edited.setEnabled(false, rule: "b")
        try edited.setEnabled(true, group: "g")
        try edited.move("c", to: .first)
        try edited.append("[[rule]]\nname = \"d\"\n", named: "d")
        #expect(edited.names == ["c", "a", "b", "d"])
        #expect(!edited.text.replacing("\r\n", with: "").contains("\n"))
        #expect(edited.text.contains("enabled = false\r\nname = \"b\"\r\n"))
        #expect(edited.text.contains("[group.g]\r\nenabled = true\r\n"))
    }

    @Test func `a string that looks like a comment stays with its rule when the file is edited`()
        throws
    {
        let text = """
            [[rule]]
            name = "a"
            request = [{ set = "body", value = \"\"\"x
            # y\"\"\" }]
            [[rule]]
            name = \"\"\"
            b\"\"\"
            request = [{ block = 403 }]

            """
        var edited = try RulesText(text, file: "f")
        try edited.setEnabled(false, rule: "b")
        #expect(edited.names == ["a", "b"])
        let rules = try RulesFile.read(edited.text, file: "f", now: 0).rules
        #expect(rules.map(\.isEnabled) == [true, false])
        try edited.remove("b")
        #expect(edited.text.hasSuffix("# y\"\"\" }]\n"))
    }

    @Test(arguments: [
        (RulesText.Position.first, "c", ["c", "a", "b"]), (.last, "a", ["b", "c", "a"]),
        (.before("b"), "c", ["a", "c", "b"]), (.after("c"), "a", ["b", "c", "a"]),
        (.after("a"), "a", ["a", "b", "c"]),
    ])
    func `rules can be moved within the file without losing a line`(
        _ place: RulesText.Position, _ name: String, _ names: [String]
    ) throws {
        let moved = try edited { try $0.move(name, to: place) }
        #expect(try RulesText(moved, file: "f").names == names)
        // Nothing is lost on the way.
        let lines = { (text: String) in
            text.split(separator: "\n").map(String.init).sorted()
        }
        #expect(lines(moved) == lines(text))
        _ = try RulesFile.read(moved, file: "f", now: 0)
    }

    @Test func `a rule is appended to the file unless its name is taken`() throws {
        let rule = RuleShortForm.rule(
            "d", when: "host=\"a b\"",
            actions: [(.request, try RuleShortForm.table("set header:X-A=1 2"))])
        let added = try edited { try $0.append(rule, named: "d") }
        #expect(
            added == text
                + "\n[[rule]]\nname = \"d\"\nwhen = 'host=\"a b\"'\nrequest = [\n"
                + "  { set = \"header:X-A\", value = \"1 2\" },\n]\n")
        #expect(throws: RulesText.Problem.nameTaken("a")) {
            try edited { try $0.append(rule, named: "a") }
        }
    }

    @Test(arguments: [
        ("block 403", "{ block = 403 }"), ("block reset", "{ block = \"reset\" }"),
        ("delay 20", "{ delay_ms = 20 }"),
        ("set json:a.b=1.5", "{ set = \"json:a.b\", value = 1.5 }"),
        ("set json:a=1x", "{ set = \"json:a\", value = \"1x\" }"),
        ("set query:q=a=b", "{ set = \"query:q\", value = \"a=b\" }"),
        ("remove header:Cookie", "{ remove = \"header:Cookie\" }"),
        ("{ block = 403 }", "{ block = 403 }"),
    ])
    func `the short form of an action is expanded to an inline table`(
        _ short: String, _ table: String
    ) throws {
        #expect(try RuleShortForm.table(short) == table)
    }
}
