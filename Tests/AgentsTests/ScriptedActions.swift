import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydOperations
import ProxydRules
import Synchronization

/// Rules that are a text.
struct TextRuleEditing: RuleEditing {
    let text: String

    func rules() throws -> RulesReport {
        let rules = try RulesFile.read(text, file: "rules.toml", now: 0).rules
        return RulesReport(
            file: "rules.toml", isDaemonRunning: false,
            rules: rules.map {
                RuleFacts(
                    name: $0.name, filter: $0.filter.text, isEnabled: $0.isEnabled,
                    group: $0.group, isTemporary: false)
            })
    }

    func activeText() throws -> String { text }
    func fileText() throws -> String { text }

    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesReport { try rules() }
    func forgetTemporaryChanges() throws -> RulesReport { try rules() }
    func reload() throws -> RulesReport { try rules() }
    func lines(of rule: String) throws -> String { text }
    func write(_ text: String, over before: String) throws -> RulesReport { try rules() }
    func map(_ order: RuleMapOrder) throws -> String { "" }
}

extension HostActions {
    /// Actions with rules.
    static func ruled(_ text: String) -> HostActions {
        var actions = HostActions()
        actions.ruleEditing = TextRuleEditing(text: text)
        return actions
    }
}

/// Remembers what it was told to do, and does nothing.
final class RememberedActions: ExchangeAnnotating, ExchangeReplaying, ExchangeExporting {
    private struct State {
        var annotations: [AnnotationChange] = []
        var repeated: [ExchangeID] = []
        var sent: [Request] = []
        var exports: [ExportOrder] = []
    }

    private let state = Mutex(State())

    var annotations: [AnnotationChange] { state.withLock { $0.annotations } }
    var repeated: [ExchangeID] { state.withLock { $0.repeated } }
    var sent: [Request] { state.withLock { $0.sent } }
    var exports: [ExportOrder] { state.withLock { $0.exports } }

    var actions: HostActions {
        var actions = HostActions()
        actions.annotating = self
        actions.replaying = self
        actions.exporting = self
        return actions
    }

    func annotate(_ changes: [AnnotationChange]) throws {
        state.withLock { $0.annotations += changes }
    }

    /// The new exchange is number 1, so that it can be read.
    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID {
        state.withLock { $0.sent.append(request) }
        return ExchangeID(rawValue: 1)
    }

    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws {
        state.withLock { $0.repeated += order.ids }
        onResult(
            ReplayOutcome(
                originalID: order.ids[0], id: ExchangeID(rawValue: 1), status: 200,
                isStatusSame: true, bodyByteCount: 0, body: .same, durationNs: 1))
    }

    func export(
        _ order: ExportOrder, write: @escaping @Sendable ([UInt8]) throws -> Void,
        progress: (ExportProgress) -> Bool
    ) throws -> ExportSummary {
        state.withLock { $0.exports.append(order) }
        try write(Array("exported".utf8))
        return ExportSummary(exchangeCount: 3, leftOutCount: 1)
    }
}
