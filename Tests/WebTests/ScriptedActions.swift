import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydRules
import Synchronization

/// Actions that remember as text what they were asked for, and do what a test says.
final class ScriptedActions: ExchangeAnnotating, ExchangeDeleting, ExchangeReplaying,
    ExchangeExporting, StatusReporting, DaemonControl,
    RuleEditing, HoldHandling
{
    /// An error with a message for users, as programs throw them.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var calls: [String] = []
        var requests: [Request] = []
        var routes: [ReplayRoute] = []
        var exports: [ExportOrder] = []
        var error: (any Error)?
        var outcome: ReplayOutcome?
        var facts = StatusFacts()
        var report = RulesReport(file: "/c/rules.toml", isDaemonRunning: true)
        var hold: (head: [UInt8], content: [UInt8]?) = ([], nil)
    }

    private let state = Mutex(State())

    /// What was asked for, in order.
    var calls: [String] { state.withLock { $0.calls } }
    /// The requests that were sent, and how.
    var requests: [Request] { state.withLock { $0.requests } }
    var routes: [ReplayRoute] { state.withLock { $0.routes } }
    var exports: [ExportOrder] { state.withLock { $0.exports } }

    /// Every further action fails.
    func fail(_ error: any Error) { state.withLock { $0.error = error } }

    func set(facts: StatusFacts) { state.withLock { $0.facts = facts } }
    func set(report: RulesReport) { state.withLock { $0.report = report } }
    func set(outcome: ReplayOutcome) { state.withLock { $0.outcome = outcome } }
    func setHold(head: String, content: [UInt8]?) {
        state.withLock { $0.hold = (Array(head.utf8), content) }
    }

    /// All actions.
    var actions: HostActions {
        var actions = HostActions()
        actions.annotating = self
        actions.deleting = self
        actions.replaying = self
        actions.exporting = self
        actions.statusReporting = self
        actions.daemonControl = self
        actions.ruleEditing = self
        actions.holdHandling = self
        return actions
    }

    fileprivate func note(_ call: String) throws {
        try state.withLock { state in
            state.calls.append(call)
            if let error = state.error { throw error }
        }
    }

    func annotate(_ changes: [AnnotationChange]) throws {
        for change in changes {
            let note = change.note.map { " note=\($0)" } ?? ""
            let pin = change.isPinned.map { " pinned=\($0)" } ?? ""
            try self.note(
                "annotate \(change.id)\(note) +\(change.addedTags) -\(change.removedTags)\(pin)")
        }
    }

    func delete(passing filter: String) throws -> Int {
        try note("delete <\(filter)>")
        return 7
    }

    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID {
        try note(
            "send \(request.url?.description ?? "") from \(original.map { "\($0)" } ?? "nothing")")
        state.withLock { state in
            state.requests.append(request)
            state.routes.append(route)
        }
        return ExchangeID(rawValue: 2)
    }

    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws {
        try note("replay \(order.ids.map { "\($0)" }) exact=\(order.isExact)")
        if let outcome = state.withLock({ $0.outcome }) { onResult(outcome) }
    }

    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary {
        state.withLock { $0.exports.append(order) }
        return ExportSummary(exchangeCount: 0)
    }

    func facts() -> StatusFacts { state.withLock { $0.facts } }

    func setRecording(_ isOn: Bool) throws { try note("recording \(isOn)") }

    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool {
        try note("intercept \(host):\(port)")
        return true
    }

    // MARK: Rules

    private var report: RulesReport { state.withLock { $0.report } }

    func rules() throws -> RulesReport {
        try note("rules")
        return report
    }

    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport {
        let place = isTemporary ? "memory" : "file"
        switch change {
        case .switchRule(let name, let isOn):
            try note("switch \(name) on=\(isOn) temporary=\(isTemporary)")
        case .switchGroup(let name, let isOn): try note("group \(name) on=\(isOn) in \(place)")
        case .add(let name, let lines, let position):
            try note("add <\(name)> \(position) in \(place): \(lines)")
        case .replace(let name, let lines): try note("replace \(name) in \(place): \(lines)")
        case .setFilter(let name, let filter): try note("filter of \(name): \(filter)")
        case .move(let name, let position): try note("move \(name) \(position)")
        case .remove(let name): try note("remove \(name) in \(place)")
        }
        return report
    }

    func forgetTemporaryChanges() throws -> RulesReport { report }
    func reload() throws -> RulesReport { report }
    func lines(of rule: String) throws -> String { "[[rule]]\nname = \"\(rule)\"\n" }

    func fileText() throws -> String {
        try note("file")
        return "# rules\n"
    }

    func activeText() throws -> String { "" }

    func write(_ text: String, over before: String) throws -> RulesReport {
        try note("write <\(text)> over <\(before)>")
        return report
    }

    func map(_ order: RuleMapOrder) throws -> String {
        try note("map \(order.id) to \(order.file) as <\(order.rule)>")
        return "the rule serves \(order.file)"
    }

    // MARK: Holds

    func take(_ isOn: Bool) throws { try note("take \(isOn)") }

    func intercept(_ intercept: Intercept?) throws {
        guard let intercept else { return try note("end intercept") }
        let phases = [
            intercept.holdsRequests ? "requests" : nil,
            intercept.holdsResponses ? "responses" : nil,
        ]
        let words = phases.compactMap(\.self).joined(separator: " and ")
        try note("intercept \(words) of <\(intercept.filter)>")
    }

    func open(_ hold: Int64) throws -> any OpenedHold {
        try note("open \(hold)")
        let (head, content) = state.withLock { $0.hold }
        return Opened(head: head, content: content, actions: self)
    }

    func resumeAll() throws -> Int {
        try note("resume all")
        return 3
    }

    private final class Opened: OpenedHold {
        let head: [UInt8]
        let content: [UInt8]?
        private let actions: ScriptedActions

        init(head: [UInt8], content: [UInt8]?, actions: ScriptedActions) {
            self.head = head
            self.content = content
            self.actions = actions
        }

        private func text(_ bytes: [UInt8]?) -> String {
            bytes.map { "<\(String(decoding: $0, as: UTF8.self))>" } ?? "as it is"
        }

        func resume(head: [UInt8]?, content: [UInt8]?) throws {
            try actions.note("resume \(text(head)) \(text(content))")
        }

        func answer(head: [UInt8], content: [UInt8]) throws {
            try actions.note("answer \(text(head)) \(text(content))")
        }

        func drop() throws { try actions.note("drop") }
    }
}
