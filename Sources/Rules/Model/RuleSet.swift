public import ProxydHTTPModel

/// All rules of a file, in its order.
public struct RuleSet: Sendable {
    /// The maximum number of rules.
    static let ruleCountMax = 1_000
    /// The maximum number of actions of one rule, in all phases together.
    static let actionCountMax = 100
    /// The maximum size of one value, in bytes.
    static let valueByteCountMax = 64 << 10

    /// The rules in the order of the file.
    public let rules: [Rule]
    /// The scripts that the rules may run.
    public let scripts: [RuleScript]
    /// The rules that must be evaluated, by phase.
    private let indexes: [RulePhase: RuleIndex]
    /// The mocks of enabled rules, in order.
    public let mocks: [PlacedMock]

    /// A set without rules.
    public static let none = RuleSet([])

    init(_ rules: [Rule], scripts: [RuleScript] = []) {
        self.rules = rules
        mocks = rules.enumerated().flatMap { PlacedMock.all(of: $1, at: $0) }
        self.scripts = scripts
        var indexes: [RulePhase: RuleIndex] = [:]
        for phase in RulePhase.allCases {
            let index = RuleIndex(rules, in: phase)
            if !index.isEmpty { indexes[phase] = index }
        }
        self.indexes = indexes
    }

    /// Whether a value in the file must not appear anywhere else.
    public var hasSecrets: Bool {
        rules.contains { $0.actions.values.joined().contains(where: \.isSecret) }
    }

    /// The rule with this name alone.
    public func only(_ name: String) -> RuleSet {
        RuleSet(rules.filter { $0.name == name }, scripts: scripts)
    }

    /// Whether a rule may act in a phase on traffic to a host, judging by the host name alone.
    public func mayAct(in phase: RulePhase, on host: String) -> Bool {
        indexes[phase].map { !$0.isEmpty(for: HostName.canonical(host)) } ?? false
    }

    /// Whether a rule may act on traffic to a host, judging by the host name alone.
    public func mayAct(on host: String) -> Bool {
        let name = HostName.canonical(host)
        return indexes.values.contains { !$0.isEmpty(for: name) }
    }

    /// The positions in `rules` of those that act in a phase and may select a host, in order.
    func candidates(in phase: RulePhase, for host: String) -> [Int] {
        indexes[phase]?.candidates(for: HostName.canonical(host)) ?? []
    }
}
