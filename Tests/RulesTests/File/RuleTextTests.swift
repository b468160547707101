import ProxydRules
import Testing

/// What a rule says, by which it is known again when its file is read anew.
struct RuleTextTests {
    private func texts(_ file: String) throws -> [String: String] {
        let rules = try RulesFile.read(file, file: "f", now: 0).rules
        return Dictionary(uniqueKeysWithValues: rules.map { ($0.name, $0.text) })
    }

    private let file = """
        # The first.
        [[rule]]
        name = "one"
        enabled = false
        # Why.
        request = [{ block = 401 }]

        [group.g]
        enabled = true

        # The second.
        [[rule]]
        name = "two"
        group = "g"
        response = [{ block = "close" }]

        """

    @Test func `the text of a rule leaves out comments, empty lines and the enabled key`()
        throws
    {
        let texts = try texts(file)
        #expect(
            texts["one"] == """
                [[rule]]
                name = "one"
                request = [{ block = 401 }]
                """)
        #expect(
            texts["two"] == """
                [[rule]]
                name = "two"
                group = "g"
                response = [{ block = "close" }]
                """)
    }

    @Test func `enabling a rule or editing a comment does not change the rule's text`() throws {
        let other = file.replacing("enabled = false\n", with: "")
            .replacing("# The second.", with: "# 2")
        #expect(try texts(other) == texts(file))
    }

    @Test
    func `a string line that looks like a table or a comment does not end a rule's text`()
        throws
    {
        let texts = try texts(
            #"""
            [[rule]]
            name = "one"
            group = """
            [[rule]]
            #"""
            response = [{ block = "close" }]

            """#)
        #expect(texts["one"]?.hasSuffix("response = [{ block = \"close\" }]") == true)
    }

    @Test func `rules written as one inline array have no text of their own`() throws {
        let texts = try texts(#"rule = [{ name = "one", response = [{ block = "close" }] }]"#)
        #expect(texts == ["one": ""])
    }
}
