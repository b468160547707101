import ProxydConfigurationText
import ProxydRules
import Testing

/// How much a rules file may hold: what is at a limit is read, and one more is told.
struct RuleLimitTests {
    private func problem(_ text: String) -> String? {
        do {
            _ = try RulesFile.read(text, file: "f", now: 0)
            return nil
        } catch {
            return error.problems.first?.description
        }
    }

    private func rule(_ name: String, _ rest: String = "stop = true") -> String {
        "[[rule]]\nname = \"\(name)\"\n\(rest)\n"
    }

    @Test func `a rules file with more than 1,000 rules is rejected`() {
        let rules = (1...1_000).map { rule("r\($0)") }.joined()
        #expect(problem(rules) == nil)
        // Each rule has three lines, and the message stands at the name.
        #expect(problem(rules + rule("more")) == "f:3002: more than 1000 rules")
    }

    @Test func `a rule with more than 100 actions, counting those of presets, is rejected`() {
        let actions = { (count: Int) in
            "[" + Array(repeating: "{ tag = \"t\" }", count: count).joined(separator: ",") + "]"
        }
        let most = "request = \(actions(60))\nresponse = \(actions(40))"
        #expect(problem(rule("r", most)) == nil)
        #expect(
            problem(rule("r", most + "\nconnect = \(actions(1))")) == "f:1: more than 100 actions")
        // A preset is an action on requests and one on responses.
        #expect(
            problem(rule("r", most + "\npreset = [\"no-cache\"]")) == "f:1: more than 100 actions")
    }

    @Test(arguments: ["set = \"body\", value = ", "respond = 200, body = "])
    func `a value of more than 64 KiB in a rule is rejected`(_ action: String) {
        let value = String(repeating: "é", count: 32 << 10)
        #expect(problem(rule("r", "request = [{ \(action)\"\(value)\" }]")) == nil)
        let found = problem(rule("r", "request = [{ \(action)\"\(value)a\" }]"))
        #expect(found?.hasPrefix("f:3: ") == true)
        #expect(found?.hasSuffix(": more than 65536 bytes") == true)
    }

    @Test
    func `a rules file with more than 32 scripts, or two scripts with the same name, is rejected`()
    {
        let script = { (name: String) in "[[script]]\nname = \"\(name)\"\ncommand = [\"x\"]\n" }
        let scripts = (1...32).map { script("s\($0)") }.joined()
        #expect(problem(scripts) == nil)
        #expect(problem(scripts + script("more")) == "f:97: more than 32 scripts")
        #expect(
            problem(script("a") + script("a")) == "f:5: there is a script named \"a\" already")
    }

    @Test func `a tag of more than 100 bytes in a rule is rejected`() {
        let tag = { (text: String) in self.rule("r", "request = [{ tag = \"\(text)\" }]") }
        #expect(problem(tag(String(repeating: "é", count: 50))) == nil)
        let found = problem(tag(String(repeating: "é", count: 50) + "a"))
        #expect(found?.contains("1 to 100 bytes") == true)
    }

    @Test func `a rule's hit limit must not be negative, and 0 means no limit`() throws {
        #expect(problem(rule("r", "limit = -1\nstop = true")) == "f:3: limit: at least 0")
        let rules = try RulesFile.read(
            rule("a", "stop = true\nlimit = 0") + rule("b", "stop = true\nlimit = 1") + rule("c"),
            file: "f", now: 0)
        #expect(rules.rules.map(\.hitCountMax) == [nil, 1, nil])
    }

    @Test func `all mistakes in a rules file are reported together, in the order of the file`()
        throws
    {
        let text =
            rule("a", "request = [{ block = 1 }, { tag = \"\" }]")
            + rule("a", "stop = true\nsees = \"x\"")
            + "[group.g]\nenabled = 1\n[group.h]\n[other]\n"
        let error = #expect(throws: ConfigurationError.self) {
            _ = try RulesFile.read(text, file: "f", now: 0)
        }
        let lines = error?.problems.map { $0.location } ?? []
        #expect(lines == ["f:3", "f:3", "f:5", "f:7", "f:9", "f:10", "f:11"])
    }
}
