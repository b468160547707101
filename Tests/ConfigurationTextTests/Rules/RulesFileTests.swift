import ProxydConfigurationText
import ProxydTestSupport
import Testing

/// A file of rules can be read by this module with all mistakes reported together.
struct RulesFileTests {
    @Test func `a rules file with rules, actions and groups is read`() throws {
        let rules = try SampleRules.read(
            """
            # what staging needs
            [[rule]]
            name = "staging"
            when = 'host=api.example.com path:/v2/'
            connect = []
            request = [
              { send_to = "https://staging.example.com", host = "keep" },
              { set = "header:X-Env", value = "staging" },  # told to the server
            ]
            response = [ { set = "json:feature.beta", value = true } ]
            limit = 3
            sees = "changed"

            [[rule]]
            name = "slow"
            enabled = false
            group = "demo"
            preset = ["no-cache", "block-cookies"]
            request = [ { throttle = { down_kbps = 500, latency_ms = 400 } }, { block = "reset" } ]

            [group.demo]
            enabled = false
            """, file: "rules.toml")
        #expect(rules.rules.map(\.name) == ["staging", "slow"])
        #expect(rules.rules.map(\.isEnabled) == [true, false])
        #expect(rules.rules.first?.when == "host=api.example.com path:/v2/")
        #expect(
            rules.rules.first?.actions["request"] == [
                .init(verb: "send_to", line: 7), .init(verb: "set", line: 8),
            ])
        #expect(rules.groups == ["demo"])
    }

    @Test func `all mistakes in a rules file are reported together, each with its line`() {
        let found = problems(
            """
            [[rule]]
            when = "method=GET hots=a"
            whne = "x"
            limit = "three"
            sees = "both"
            request = [
              { set = "header:A", value = "1", remove = "header:B" },
              { block = 403, value = "1" },
              { serv = "/srv" },
              "block",
            ]

            [[rule]]
            name = "a"
            when = \"""
              path:/x
              hots=b\"""
            response = [ { serve = "/srv" }, { delay_ms = 1.5, jiter_ms = 3 } ]
            preset = ["nocache"]
            [[rule]]
            name = "a"
            request = { tag = "t" }
            [group]
            demo = true
            other = { enable = true }
            [[rules]]
            """)
        #expect(
            found == [
                "f:1: a rule needs a name",
                "f:2: column 12: unknown field \"hots\": did you mean host?",
                "f:3: unknown key whne; did you mean when?",
                "f:4: limit: expected an integer, found a string",
                "f:5: sees: expected one of \"received\", \"changed\", found \"both\"",
                "f:7: an action has one verb, this one has set, value, remove",
                "f:8: block takes no value",
                "f:9: an action has one verb, this one has serv",
                "f:10: request: expected a table, found a string",
                "f:17: column 13: unknown field \"hots\": did you mean host?",
                "f:18: serve cannot be done to a response",
                "f:18: delay_ms: expected an integer, found a floating-point number",
                "f:18: unknown key jiter_ms; did you mean jitter_ms?",
                "f:19: unknown preset nocache",
                "f:21: there is a rule named \"a\" already",
                "f:22: request is an array of tables: write [[request]]",
                "f:24: group.demo is a table: write [group.demo]",
                "f:25: group.other.enabled is missing",
                "f:25: unknown key group.other.enable; did you mean group.other.enabled?",
                "f:26: unknown table rules; did you mean rule?",
            ])
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try SampleRules.read(text, file: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

@Suite(.enabled(if: RuleVectorFile.isThere, "no ../shared/vectors beside the repository"))
struct RuleVectorTests {
    /// What is wrong in these is known only to who reads filters and targets.
    private static let othersMistakes: Set = [
        "invalid-filter", "invalid-filter-field", "invalid-filter-connect", "invalid-filter-never",
        "invalid-framing", "invalid-field-name", "invalid-regex", "invalid-status-range",
    ]

    @Test func `all valid rules files of the shared test vectors are accepted`() throws {
        let cases = try RuleVectors.read().filter { $0.expect.error == nil }
        #expect(cases.count > 50)
        for vector in cases {
            do {
                _ = try SampleRules.read(vector.rules, file: "f")
            } catch {
                Issue.record("\(vector.id): \(error)")
            }
        }
    }

    @Test
    func `mistakes in the rules files of the shared test vectors are reported with their line`()
        throws
    {
        let cases = try RuleVectors.read().filter {
            $0.expect.error != nil && !Self.othersMistakes.contains($0.id)
        }
        #expect(cases.count > 5)
        for vector in cases {
            let mistake = try #require(vector.expect.error)
            let error = #expect(throws: ConfigurationError.self, "\(vector.id)") {
                _ = try SampleRules.read(vector.rules, file: "f")
            }
            let found = error?.description ?? ""
            #expect(found.hasPrefix("f:\(mistake.line): "), "\(vector.id): \(found)")
            #expect(mistake.says.isEmpty || found.contains(mistake.says), "\(found)")
        }
    }
}

/// The rules files among the vectors that lie beside the repository.
struct RuleVectors: Decodable {
    struct Case: Decodable, CustomTestStringConvertible {
        struct Mistake: Decodable {
            let line: Int
            let says: String
        }

        struct Expectation: Decodable { let error: Mistake? }

        let id: String
        let rules: String
        let expect: Expectation

        var testDescription: String { id }
    }

    let messages: [Case]

    static func read() throws -> [Case] {
        try RuleVectorFile.read(RuleVectors.self)?.messages ?? []
    }
}
