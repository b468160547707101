internal import ProxydFilter
internal import ProxydHTTPModel

/// Finds the rules of a phase by host, so that many rules for different hosts cost an exchange only
/// one lookup.
struct RuleIndex: Sendable {
    /// Positions of rules that are not limited to one host.
    private var general: [Int] = []
    /// Positions of rules by canonical host name (`HostName`).
    private var ofHost: [String: [Int]] = [:]

    init(_ rules: [Rule], in phase: RulePhase) {
        for (position, rule) in rules.enumerated() {
            guard rule.isEnabled, rule.takesPart(in: phase) else { continue }
            // A connection would count as a hit, and its requests again.
            if phase == .connect, rule.actions.isEmpty,
                !RuleIndex.hasActions(rules[(position + 1)...], in: phase)
            {
                continue
            }
            // An earlier rule may change the host that such a rule sees.
            if rule.view == .received, let host = rule.filter.requiredHost {
                ofHost[host, default: []].append(position)
            } else {
                general.append(position)
            }
        }
    }

    private static func hasActions(_ rules: ArraySlice<Rule>, in phase: RulePhase) -> Bool {
        rules.contains { $0.isEnabled && !$0.actions(in: phase).isEmpty }
    }

    var isEmpty: Bool { general.isEmpty && ofHost.isEmpty }

    /// Whether there are no rules for a canonical name.
    func isEmpty(for host: String) -> Bool { general.isEmpty && ofHost[host] == nil }

    /// The positions of rules for a canonical name, in the order of the file.
    func candidates(for host: String) -> [Int] {
        guard let named = ofHost[host] else { return general }
        return general.isEmpty ? named : (general + named).sorted()
    }
}
