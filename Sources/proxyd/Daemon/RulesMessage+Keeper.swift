internal import ProxydControl
internal import ProxydRuleActing
internal import ProxydRules

extension RulesMessage {
    /// The active rules.
    init(_ keeper: RulesKeeper) {
        let state = keeper.current
        let inForce = state.inForce
        self.init(
            file: state.file, problems: state.problems,
            rules: keeper.actor.counts.map {
                Rule($0, isTemporary: inForce.names.contains($0.name))
            })
        let isFile = state.problems.isEmpty && state.temporary.isEmpty
        text = isFile ? nil : inForce.text
        removed = inForce.removed
        leftOut = inForce.leftOut
    }
}

extension RulesMessage.Rule {
    fileprivate init(_ count: RuleCount, isTemporary: Bool) {
        self.init(name: count.name, isTemporary: isTemporary)
        hitCount = count.hitCount
        changedCount = count.changedCount
        failedCount = count.failedCount
        lastHitNs = count.lastHitNs
        mocks = count.mocks.map(RulesMessage.Mock.init)
    }
}

extension RulesMessage.Mock {
    /// The counters of a mock's captures.
    fileprivate init(_ report: MockReport) {
        self.init(
            captureCount: report.captureCount, servedCount: report.servedCount,
            unmatchedCount: report.unmatchedCount, neverServedCount: report.neverServed.count,
            problems: report.problems)
        isRead = report.isRead
        neverServed = Array(report.neverServed.prefix(RulesMessage.Mock.namedCountMax))
    }
}

extension RuleChange {
    /// A control client's change, or nil if it reverts all changes.
    init?(_ message: RuleChangeMessage) {
        switch message {
        case .add(let name, let lines, let place):
            self = .add(name: name, lines: lines, place: RulesText.Place(place))
        case .replace(let name, let lines): self = .replace(name: name, lines: lines)
        case .setFilter(let name, let filter): self = .setFilter(name: name, filter: filter)
        case .switchRule(let name, let isOn): self = .switchRule(name: name, isOn: isOn)
        case .switchGroup(let name, let isOn): self = .switchGroup(name: name, isOn: isOn)
        case .move(let name, let place):
            self = .move(name: name, place: RulesText.Place(place))
        case .remove(let name): self = .remove(name: name)
        case .forgetAll: return nil
        }
    }
}

extension RulesText.Place {
    fileprivate init(_ place: RuleChangeMessage.Place) {
        switch place {
        case .first: self = .first
        case .last: self = .last
        case .before(let name): self = .before(name)
        case .after(let name): self = .after(name)
        }
    }
}
