internal import ProxydEventLoops
internal import ProxydFilter
internal import ProxydRules
internal import Synchronization

/// A set of rules and its statistics.
final class RulesInForce: RuleUsage, Sendable {
    let rules: RuleSet
    let mocks: MockShelves
    private let usages: [Mutex<Usage>.Box]
    private let positionOfName: [String: Int]

    /// The statistics of one rule.
    struct Usage: Sendable {
        var hitCount = 0
        var lastHitNs: Int64 = 0
        var changedCount = 0
        var failedCount = 0
    }

    /// - Parameters:
    ///   - old: The previous rules. Unchanged rules keep their counts.
    ///   - captures: The source of captures for mocks; nil for none.
    ///   - kept: The previous shelves of captures; those of unchanged rules continue.
    init(
        _ rules: RuleSet, counting old: RulesInForce?, captures: MockSource?,
        keeping kept: MockShelves? = nil
    ) {
        self.rules = rules
        mocks = MockShelves(rules, captures, keeping: kept)
        let kept = old?.usageOfRules ?? [:]
        usages = rules.rules.map { kept[RuleIdentity($0)] ?? Mutex.Box(Usage()) }
        positionOfName = Dictionary(
            zip(rules.rules.map(\.name), rules.rules.indices),
            uniquingKeysWith: { first, _ in first })
    }

    private var usageOfRules: [RuleIdentity: Mutex<Usage>.Box] {
        Dictionary(
            zip(rules.rules.map(RuleIdentity.init), usages), uniquingKeysWith: { first, _ in first }
        )
    }

    func claim(_ rule: Int) -> Bool {
        guard usages.indices.contains(rule) else { return false }
        let most = rules.rules[rule].hitCountMax ?? .max
        let now = EventLoop.wallNow()
        return usages[rule].value.withLock { usage in
            guard usage.hitCount < most else { return false }
            usage.hitCount += 1
            usage.lastHitNs = now
            return true
        }
    }

    /// Counts the effect of a rule on an exchange.
    func count(_ effect: RuleEffect, ofRule name: String) {
        guard let position = positionOfName[name] else { return }
        usages[position].value.withLock { usage in
            switch effect {
            case .changed: usage.changedCount += 1
            case .failed: usage.failedCount += 1
            case .nothing: break
            }
        }
    }

    var counts: [RuleCount] {
        let reports = Dictionary(grouping: mocks.reports, by: \.rule)
        return zip(rules.rules, usages).map { rule, usage in
            let usage = usage.value.withLock { $0 }
            return RuleCount(
                name: rule.name, hitCount: usage.hitCount, changedCount: usage.changedCount,
                failedCount: usage.failedCount,
                lastHitNs: usage.hitCount > 0 ? usage.lastHitNs : nil,
                mocks: reports[rule.name] ?? [])
        }
    }
}

extension Mutex where Value: Sendable {
    /// A mutex shared by two sets of rules.
    final class Box: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }
}
