public import ProxydFilter
public import ProxydHTTPModel
public import ProxydHTTPWire

/// All rules of a file, in its order.
public struct RuleSet: Sendable {
    static let ruleCountMax = 1_000
    /// The maximum number of actions of one rule, in all phases together.
    static let actionCountMax = 100
    static let valueByteCountMax = 64 << 10

    public let rules: [Rule]
    public let scripts: [RuleScript]
    /// The rules that must be evaluated, by phase.
    private let indexes: [RulePhase: RuleIndex]
    /// The mocks of enabled rules, in order.
    public let mocks: [PositionedMock]

    public static let none = RuleSet([])

    init(_ rules: [Rule], scripts: [RuleScript] = []) {
        self.rules = rules
        mocks = rules.enumerated().flatMap { PositionedMock.all(of: $1, at: $0) }
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

    public func only(_ name: String) -> RuleSet {
        RuleSet(rules.filter { $0.name == name }, scripts: scripts)
    }

    /// Whether a rule may act in a phase on traffic to a host, judging by the host name alone.
    public func mayAct(in phase: RulePhase, on host: String) -> Bool {
        indexes[phase].map { !$0.isEmpty(for: HostName.canonical(host)) } ?? false
    }

    public func mayAct(on host: String) -> Bool {
        let name = HostName.canonical(host)
        return indexes.values.contains { !$0.isEmpty(for: name) }
    }

    /// Whether a rule may act on a request, its connection or its response, judging by the
    /// request's line alone.
    public func mayAct(on request: borrowing ForwardedRequest) -> Bool {
        let url = request.url
        let head = request.head
        let host = HostName.canonical(url.host)
        return indexes.values.contains { index in
            !index.isEmpty(for: host)
                && !index.candidates(for: host, { RuleSubject.text($0, of: head, url) }).isEmpty
        }
    }

    /// The positions in `rules` of those that act in a phase and may select a host, in order.
    func candidates(in phase: RulePhase, for host: String) -> [Int] {
        indexes[phase]?.candidates(for: HostName.canonical(host)) ?? []
    }

    /// The same for a request.
    /// - Parameter text: A text of the request's line.
    func candidates(
        in phase: RulePhase, for host: String, _ text: (FilterTextColumn) -> String?
    ) -> [Int] {
        indexes[phase]?.candidates(for: HostName.canonical(host), text) ?? []
    }
}

/// One rule: the exchanges that it selects, and its actions.
public final class Rule: Sendable {
    /// The form of the messages that a rule's filter examines.
    public enum View: String, Sendable, Hashable, CaseIterable {
        /// As they came: whether a rule matches does not depend on earlier rules.
        case received
        /// As changed by earlier rules.
        case changed
    }

    /// The name of the rule, unique in its set.
    public let name: String
    /// The line of the file in which the rule starts, from 1.
    public let line: Int
    /// The text of the rule without its `enabled` line, used to detect changes: a rule with another
    /// text is another rule.
    public let text: String
    public let filter: Filter
    /// Whether the rule and its group are enabled.
    public let isEnabled: Bool
    /// The group that enables or disables it; nil for none.
    public let group: String?
    /// Whether later rules are skipped in a phase in which this rule matches.
    public let stops: Bool
    /// The maximum number of exchanges that it acts on; nil for no limit.
    public let hitCountMax: Int?
    public let view: View
    public let actions: [RulePhase: [RuleAction]]

    init(
        name: String, line: Int, text: String, filter: Filter, isEnabled: Bool, group: String?,
        stops: Bool, hitCountMax: Int?, view: View, actions: [RulePhase: [RuleAction]]
    ) {
        self.name = name
        self.line = line
        self.text = text
        self.filter = filter
        self.isEnabled = isEnabled
        self.group = group
        self.stops = stops
        self.hitCountMax = hitCountMax
        self.view = view
        self.actions = actions
    }

    public func actions(in phase: RulePhase) -> [RuleAction] { actions[phase] ?? [] }

    /// Whether the rule is evaluated in a phase: it has actions there, or it has none at all and
    /// only stops later rules, in every phase in which its filter can be decided.
    func takesPart(in phase: RulePhase) -> Bool {
        if !actions.isEmpty { return !actions(in: phase).isEmpty }
        return stops && filter.moment <= phase.filterMoment
    }
}

/// The phase in which actions of a rule run.
public typealias RulePhase = AppliedRule.Phase

extension RulePhase {
    /// What a filter of this phase may examine, including the whole body, which is waited for if a
    /// filter needs it.
    var filterMoment: FilterMoment {
        switch self {
        case .connect: .connection
        case .request: .requestBody
        case .response: .responseBody
        }
    }
}

/// A program that rules run for messages; it is started once and runs as long as the proxy does.
public struct RuleScript: Sendable, Hashable {
    /// The program and how it is run. Scripts with equal values share a running program.
    public struct Program: Sendable, Hashable {
        /// The program and its arguments; never interpreted by a shell.
        public let command: [String]
        public let workerCount: Int
        /// Absolute paths that it may read, in addition to the system and its own folder.
        public let readable: [String]
        public let usesNetwork: Bool
        /// The maximum memory of each process and its descendants, in MiB.
        public let memoryMebibyteCount: Int
        /// The maximum number of processes and threads of each process and its descendants.
        public let processCount: Int
    }

    static let timeoutMillisecondsByDefault = 5_000
    static let timeoutMillisecondsAllowed = 1...300_000
    static let workerCountAllowed = 1...16
    static let memoryMebibyteCountByDefault = 1_024
    static let memoryMebibyteCountAllowed = 16...1_048_576
    static let processCountByDefault = 128
    static let processCountAllowed = 1...100_000
    static let countMax = 32
    static let wordCountMax = 100

    /// The name that rules use: letters, digits, `-` and `_`.
    public let name: String
    /// The line of the file in which the script starts, from 1.
    public let line: Int
    public let program: Program
    public let timeoutMilliseconds: Int
}

/// Finds the rules of a phase by host, and by the texts that a request must contain, so that rules
/// for other hosts, paths and methods cost an exchange next to nothing.
struct RuleIndex: Sendable {
    /// Positions of rules that are not limited to one host.
    private let general: FilterIndex
    /// Positions of rules by canonical host name (`HostName`).
    private let ofHost: [String: FilterIndex]
    /// Positions of rules whose filters examine what earlier rules have changed.
    private let ofChanged: [Int]

    init(_ rules: [Rule], in phase: RulePhase) {
        var general: [(position: Int, filter: Filter)] = []
        var ofHost: [String: [(position: Int, filter: Filter)]] = [:]
        var ofChanged: [Int] = []
        for (position, rule) in rules.enumerated() {
            guard rule.isEnabled, rule.takesPart(in: phase) else { continue }
            // A connection would count as a hit, and its requests again.
            if phase == .connect, rule.actions.isEmpty,
                !RuleIndex.hasActions(rules[(position + 1)...], in: phase)
            {
                continue
            }
            if rule.view == .changed {
                ofChanged.append(position)
            } else if let host = rule.filter.requiredHost {
                ofHost[host, default: []].append((position, rule.filter))
            } else {
                general.append((position, rule.filter))
            }
        }
        self.general = FilterIndex(general)
        self.ofHost = ofHost.mapValues(FilterIndex.init)
        self.ofChanged = ofChanged
    }

    private static func hasActions(_ rules: ArraySlice<Rule>, in phase: RulePhase) -> Bool {
        rules.contains { $0.isEnabled && !$0.actions(in: phase).isEmpty }
    }

    var isEmpty: Bool { general.isEmpty && ofHost.isEmpty && ofChanged.isEmpty }

    /// Whether there are no rules for a canonical name.
    func isEmpty(for host: String) -> Bool {
        general.isEmpty && ofChanged.isEmpty && ofHost[host] == nil
    }

    /// The positions of rules for a canonical name, in the order of the file.
    func candidates(for host: String) -> [Int] {
        ordered(general.all, ofHost[host]?.all ?? [])
    }

    /// The positions of those that may select a request with these texts.
    func candidates(for host: String, _ text: (FilterTextColumn) -> String?) -> [Int] {
        ordered(general.candidates(text), ofHost[host]?.candidates(text) ?? [])
    }

    private func ordered(_ general: [Int], _ named: [Int]) -> [Int] {
        if named.isEmpty, ofChanged.isEmpty { return general }
        return (general + named + ofChanged).sorted()
    }
}
