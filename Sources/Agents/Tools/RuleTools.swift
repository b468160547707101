internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRules

/// Tools that read rules and test them on captured exchanges. Nothing is sent and nothing changed.
struct RuleTools {
    private static let exchangeLimit = 200
    private static let exchangeLimitMax = 2_000
    /// The most bytes of each body that rules examine.
    private static let bodyByteCountMax = 16 << 20

    private let ruleEditing: (any RuleEditing)?
    private let showsSecrets: Bool
    private let store: AgentStore

    init(_ services: AgentServices, _ store: AgentStore) {
        ruleEditing = services.actions.ruleEditing
        showsSecrets = services.policy.showsSecrets
        self.store = store
    }

    /// No tools for a store without rules.
    var all: [Tool] { ruleEditing.map { [list($0), test($0)] } ?? [] }

    private func list(_ ruleEditing: any RuleEditing) -> Tool {
        Tool(
            "list_rules", "List rules",
            """
            Lists the rules that change traffic, in order: their filters, whether they are on, \
            how often they applied, and errors of the rules file.
            """, [], returns: RuleTools.listMembers
        ) { _ in
            .captured(
                RulesJSON.value(try ruleEditing.rules()).members.map { ($0.name, $0.value) },
                from: "the rules file", advice: "read the rules file")
        }
    }

    private func test(_ ruleEditing: any RuleEditing) -> Tool {
        Tool(
            "test_rule", "Test rules",
            """
            Tests rules on captured exchanges without sending anything: how many each would have \
            matched, what it would have done, which rule stops another, and why a rule never \
            matches. With explain, which parts of each rule's filter hold for one exchange.
            """,
            [
                ToolParameter(
                    "rules", .text,
                    "Rules to test, as in the rules file (TOML). Those in effect if absent."),
                ToolParameter("rule", .text, "Only the rule of this name."),
                .filter,
                ToolParameter(
                    "limit", .integer(1...RuleTools.exchangeLimitMax),
                    "How many of the newest exchanges; \(RuleTools.exchangeLimit) if absent."),
                ToolParameter("explain", .exchange, "The id of an exchange, as a row has it."),
            ], returns: RuleTools.testMembers
        ) { arguments in
            let rules = try rules(arguments, ruleEditing)
            let rule = try arguments.text("rule")
            let members =
                if let id = try store.id("explain", arguments) {
                    try explanation(of: id, rules, only: rule)
                } else {
                    try counts(arguments, rules, only: rule)
                }
            return .captured(members, from: "rules and recorded exchanges", advice: "name a rule")
        }
    }

    private func rules(_ arguments: ToolArguments, _ ruleEditing: any RuleEditing) throws -> RuleSet
    {
        let given = try arguments.text("rules")
        let rules: RuleSet
        do {
            rules = try RulesFile.read(
                try given ?? ruleEditing.activeText(), file: "rules", now: store.now)
        } catch let error as ConfigurationError {
            throw ToolProblem(error.problems.map(\.description).joined(separator: "\n"))
        }
        let names = rules.rules.map(\.name)
        if let name = try arguments.text("rule"), !names.contains(name) {
            let known = names.joined(separator: ", ")
            throw ToolProblem("there is no rule \(name); there are: \(known)")
        }
        return rules
    }

    // MARK: Results

    private static let listMembers: [(String, ToolResult)] = [
        ("file", .text), ("daemon", .flag), ("problems", .texts), ("remarks", .texts),
        (
            "rules",
            .list(
                .members([
                    ("name", .text), ("when", .text), ("does", .text), ("enabled", .flag),
                    ("group", .textOrNull),
                    ("temporary", .flag), ("hits", .orNull(.integer)),
                    ("changed", .orNull(.integer)), ("failed", .orNull(.integer)),
                    ("last_hit_at", .textOrNull),
                ]))
        ),
    ]

    /// With `explain`, `id` and the second half of each rule's members; without it, `tested` and
    /// the first half.
    private static let testMembers: [(String, ToolResult)] = [
        ("tested?", .integer), ("id?", .text),
        (
            "rules",
            .list(
                .members([
                    ("rule", .text), ("matches?", .integer), ("exchanges?", .integer),
                    ("outcomes?", .record), ("first?", .textOrNull), ("last?", .textOrNull),
                    ("never_because?", .textOrNull), ("enabled?", .flag), ("when?", .text),
                    ("applied?", .appliedRules),
                    (
                        "tests?",
                        .list(
                            .members([
                                ("column", .integer), ("field", .text), ("holds", .orNull(.flag)),
                                ("value?", .textOrNull),
                            ]))
                    ),
                ]))
        ),
    ]

    // MARK: Counting

    private func counts(
        _ arguments: ToolArguments, _ rules: RuleSet, only name: String?
    ) throws -> [(String, JSONValue)] {
        let filter = try arguments.filter(now: store.now)
        let limit =
            try arguments.number("limit", in: 1...RuleTools.exchangeLimitMax)
            ?? RuleTools.exchangeLimit
        let counts = try store.read { (reader) throws(StoreError) in
            var counts = RuleTestCounts(rules, only: name, now: store.now)
            let trial = trial(rules, reader)
            // Oldest first, as the rules saw them: mocks answer in order.
            for row in try reader.rows(matching: filter, .newest, limit: limit).reversed() {
                let exchange = try reader.exchange(
                    row.id, bodyByteCountMax: RuleTools.bodyByteCountMax)
                guard let exchange else { continue }
                counts.add(trial.results(for: exchange), to: exchange, named: row.idText)
            }
            return counts
        }
        let rules = counts.json(showsValues: showsSecrets, name: JSONValue.string)
        return [("tested", .integer(counts.exchangeCount)), ("rules", .array(rules))]
    }

    private func trial(_ rules: RuleSet, _ reader: any ExchangeReading) -> RuleTrial {
        RuleTrial(rules, mocks: TrialMocks(reader, nowNs: store.now).served)
    }

    // MARK: Explaining

    private func explanation(
        of id: ExchangeID, _ rules: RuleSet, only name: String?
    ) throws -> [(String, JSONValue)] {
        let explained = try store.read { (reader) throws(StoreError) -> [JSONValue]? in
            let exchange = try reader.exchange(id, bodyByteCountMax: RuleTools.bodyByteCountMax)
            guard let exchange else { return nil }
            let trial = trial(rules, reader)
            let results = Dictionary(grouping: trial.results(for: exchange), by: \.rule)
            return rules.rules.filter { name == nil || $0.name == name }.map { rule in
                let tests = trial.tests(of: rule, for: exchange)
                return shown(RuleExplanation.value(rule, results[rule.name] ?? [], tests))
            }
        }
        let exchangeName = try store.name(of: id)
        guard let explained else { throw ToolProblem("there is no exchange \(exchangeName)") }
        return [("id", .string(exchangeName)), ("rules", .array(explained))]
    }

    /// Removes the values that tests examined: they may be credentials, which cannot be told from
    /// the values alone.
    private func shown(_ explanation: JSONValue) -> JSONValue {
        guard !showsSecrets else { return explanation }
        return .members(
            explanation.members.map { member in
                guard member.name == "tests" else { return (member.name, member.value) }
                let tests = member.value.elements.map { test in
                    JSONValue.object(test.members.filter { $0.name != "value" })
                }
                return (member.name, .array(tests))
            })
    }
}
