internal import ProxydFilter

/// Finds the rules of a phase by the host that they are for, so that many rules that each name
/// another one cost an exchange one look-up.
struct RuleIndex: Sendable {
    /// Rules that do not name one host.
    private var general: [Int] = []
    /// By canonical names (`HostName`).
    private var ofHost: [String: [Int]] = [:]

    init(_ rules: [Rule], in phase: RulePhase) {
        for (position, rule) in rules.enumerated() {
            guard rule.isEnabled, !rule.actions(in: phase).isEmpty else { continue }
            // What it sees may be another host by then.
            if rule.view == .received, let host = rule.filter.requiredHost {
                ofHost[host, default: []].append(position)
            } else {
                general.append(position)
            }
        }
    }

    var isEmpty: Bool { general.isEmpty && ofHost.isEmpty }

    /// Whether there is none for a canonical name.
    func isEmpty(for host: String) -> Bool { general.isEmpty && ofHost[host] == nil }

    /// Those for a canonical name, in the order of the file.
    func candidates(for host: String) -> [Int] {
        guard let named = ofHost[host] else { return general }
        return general.isEmpty ? named : (general + named).sorted()
    }
}
