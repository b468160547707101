import ProxydConfigurationText
import ProxydFilter
import ProxydRules
import Testing

/// Filters and whole rules that take the place of others.
struct RulesTextRewritingTests {
    @Test(arguments: [
        ("when = 'host=a'  # c", "when = 'path=/'  # c"), ("when=\"host=a\"", "when='path=/'"),
        ("when = ''", "when = 'path=/'"),
        ("when = '''\nhost=a\n method=GET''' # c", "when = 'path=/' # c"),
        ("when = \"\"\"host=\\\"\"\"\"\"", "when = 'path=/'"),
    ])
    func `setting a rule's filter in the file replaces only the old filter`(
        _ old: String, _ new: String
    ) throws {
        for end in ["\n", "\r\n"] {
            let body = ["[[rule]]", "name = \"a\"", old, "request = [{ block = 403 }]", ""]
            let before = body.joined(separator: "\n").replacing("\n", with: end)
            var text = try RulesText(before, file: "f")
            try text.setFilter("path=/", rule: "a")
            let wanted = body.map { $0 == old ? new : $0 }.joined(separator: end)
            #expect(text.text == wanted)
        }
    }

    @Test func `setting the filter of a rule without one inserts it after the name`() throws {
        var text = try RulesText(
            "[[rule]]\nname = '''\na'''  # c\nrequest = [{ block = 403 }]\n", file: "f")
        try text.setFilter("url:\"it's\"", rule: "a")
        #expect(
            text.text
                == "[[rule]]\nname = '''\na'''  # c\nwhen = \"url:\\\"it's\\\"\"\n"
                + "request = [{ block = 403 }]\n")
        let rules = try RulesFile.read(text.text, file: "f", now: 0).rules
        #expect(rules.map(\.filter.text) == ["url:\"it's\""])
    }

    @Test func `replacing the lines of a rule in the file leaves its neighbours unchanged`() throws
    {
        let rule = { (name: String) in "# \(name)\n[[rule]]\nname = \"\(name)\"\n" }
        var text = try RulesText("\(rule("a"))\n\n\(rule("b"))\n\(rule("c"))", file: "f")
        try text.replace("b", with: "[[rule]]\nname = \"d\"\nstop = true\n\n")
        #expect(
            text.text
                == "\(rule("a"))\n\n[[rule]]\nname = \"d\"\nstop = true\n\n\(rule("c"))")
        #expect(throws: RulesText.Problem.nameTaken("a")) {
            try text.replace("d", with: rule("a"))
        }
        for lines in ["", "# nothing\n", "[group.g]\nenabled = true\n", rule("x") + rule("y")] {
            #expect(throws: RulesText.Problem.notOneRule) { try text.replace("d", with: lines) }
        }
        #expect(throws: ConfigurationError.self) { try text.replace("d", with: "[[rule]\n") }
    }

    @Test(arguments: [
        (RulesText.Position.first, ["n", "a", "b"]), (.before("b"), ["a", "n", "b"]),
        (.after("a"), ["a", "n", "b"]), (.last, ["a", "b", "n"]),
    ])
    func `a rule can be added first, last, or before or after another rule`(
        _ place: RulesText.Position, _ names: [String]
    ) throws {
        var text = try RulesText(
            "[[rule]]\nname = \"a\"\n[[rule]]\nname = \"b\"\n", file: "f")
        try text.append("[[rule]]\nname = \"n\"\n", named: "n", at: place)
        #expect(text.names == names)
    }
}
