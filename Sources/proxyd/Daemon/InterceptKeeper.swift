internal import Dispatch
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRules
internal import Synchronization

/// Keeps the rule that interfaces set in one step, until the last of them has been gone a while.
final class InterceptKeeper: Sendable {
    private struct State {
        /// The clients that set the rule and are still connected.
        var owners: Set<ControlClientID> = []
        /// Counts the changes, so that a timer does not end what was set after its start.
        var changeCount = 0
        var isSet = false
    }

    private let keeper: RulesKeeper
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameter queue: Where the rule is removed.
    init(_ keeper: RulesKeeper, on queue: DispatchQueue) {
        self.keeper = keeper
        self.queue = queue
    }

    /// Holds what a filter matches from now on, or nothing if it is nil.
    func set(_ intercept: Intercept?, by client: ControlClientID) throws(ControlError) {
        do {
            try change(intercept)
        } catch let error as ConfigurationError {
            throw ControlError(.badRules, error.problems.map(\.message).joined(separator: "\n"))
        } catch {
            throw ControlError(.badRules, "\(error)")
        }
        state.withLock { state in
            state.changeCount += 1
            state.isSet = intercept != nil
            if intercept == nil { state.owners = [] } else { state.owners.insert(client) }
        }
    }

    private func change(_ intercept: Intercept?) throws {
        let name = Intercept.ruleName
        let isThere = keeper.hasTemporaryRule(name)
        guard let intercept else {
            if isThere { try keeper.change(.remove(name: name)) }
            return
        }
        if isThere {
            try keeper.change(.replace(name: name, lines: intercept.lines))
        } else {
            try keeper.change(.add(name: name, lines: intercept.lines, place: .first))
        }
    }

    /// The rule that is in force, unless someone has removed it as a rule.
    var current: Intercept? {
        guard state.withLock({ $0.isSet }) else { return nil }
        return keeper.intercept
    }

    func clientLeft(_ client: ControlClientID) {
        let change = state.withLock { state -> Int? in
            guard state.owners.remove(client) != nil, state.owners.isEmpty else { return nil }
            return state.changeCount
        }
        guard let change else { return }
        // As long as what it holds is held without an interface.
        let grace = DispatchTimeInterval.nanoseconds(Int(HoldLedger.Limits().graceNs))
        queue.asyncAfter(deadline: .now() + grace) { [weak self] in self?.end(ifStill: change) }
    }

    private func end(ifStill change: Int) {
        let isOver = state.withLock { state in
            guard state.changeCount == change, state.owners.isEmpty else { return false }
            state.isSet = false
            return true
        }
        if isOver { try? self.change(nil) }
    }
}

extension RulesKeeper {
    /// Whether a rule exists only in memory, or differs from the one in the file.
    fileprivate func hasTemporaryRule(_ name: String) -> Bool {
        current.inForce.names.contains(name)
    }

    fileprivate var intercept: Intercept? {
        let inForce = current.inForce
        guard inForce.names.contains(Intercept.ruleName),
            let rule = inForce.rules.rules.first(where: { $0.name == Intercept.ruleName })
        else { return nil }
        return Intercept(
            filter: rule.filter.text, holdsRequests: !rule.actions(in: .request).isEmpty,
            holdsResponses: !rule.actions(in: .response).isEmpty)
    }
}
