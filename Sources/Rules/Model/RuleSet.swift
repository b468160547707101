public import ProxydHTTPModel

/// All rules of a file, in its order.
public struct RuleSet: Sendable {
    /// More rules than anyone keeps in view.
    static let ruleCountMax = 1_000
    /// Actions of one rule, of all its phases.
    static let actionCountMax = 100
    /// Bytes of one value.
    static let valueByteCountMax = 64 << 10

    /// The rules.
    public let rules: [Rule]
    /// The scripts that they may ask.
    public let scripts: [RuleScript]
    /// For each phase, which rules have to be looked at.
    private let indexes: [RulePhase: RuleIndex]
    /// The mocks of rules that are switched on, in order.
    public let mocks: [PlacedMock]

    /// No rules.
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

    /// Whether a rule acts in a phase on what goes to a host, as far as its name tells.
    public func mayAct(in phase: RulePhase, on host: String) -> Bool {
        indexes[phase].map { !$0.isEmpty(for: HostName.canonical(host)) } ?? false
    }

    /// Whether a rule acts on what goes to a host, as far as its name tells.
    public func mayAct(on host: String) -> Bool {
        let name = HostName.canonical(host)
        return indexes.values.contains { !$0.isEmpty(for: name) }
    }

    /// The rules that act in a phase and may be for a host, as positions in `rules`, in order.
    func candidates(in phase: RulePhase, for host: String) -> [Int] {
        indexes[phase]?.candidates(for: HostName.canonical(host)) ?? []
    }
}
