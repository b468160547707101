internal import FoundationEssentials
internal import ProxydHTTPModel

/// `ExchangeEvent` in the format of the control socket; exactly one of the members is set.
struct EventMessage: Sendable, Hashable, Codable {
    /// `AppliedRule` in the format of the control socket.
    struct Rule: Sendable, Hashable, Codable {
        var rule: String
        var phase: String
        var outcome: String
        var detail: String?
        var holdStartNs: Int64?
        var holdNs: Int64?
    }

    var sentRequestBody: Data?
    var sentResponseHead: Data?
    var sentResponseBody: Data?
    var responseWithheld: Bool?
    var rule: Rule?
    var tag: String?

    init(_ event: ExchangeEvent) {
        switch event {
        case .sentRequestBody(let bytes): sentRequestBody = Data(bytes)
        case .sentResponseHead(let bytes): sentResponseHead = Data(bytes)
        case .sentResponseBody(let bytes): sentResponseBody = Data(bytes)
        case .responseWithheld: responseWithheld = true
        case .appliedRule(let applied):
            rule = Rule(
                rule: applied.rule, phase: applied.phase.rawValue, outcome: applied.outcome,
                detail: applied.detail, holdStartNs: applied.hold?.startNs,
                holdNs: applied.hold?.durationNs)
        case .tagged(let text): tag = text
        }
    }

    /// Converts the message back to an event; throws if it describes an impossible one.
    func event() throws(ControlError) -> ExchangeEvent {
        if let sentRequestBody { return .sentRequestBody([UInt8](sentRequestBody)) }
        if let sentResponseHead { return .sentResponseHead([UInt8](sentResponseHead)) }
        if let sentResponseBody { return .sentResponseBody([UInt8](sentResponseBody)) }
        if responseWithheld == true { return .responseWithheld }
        if let tag { return .tagged(tag) }
        guard let rule, let phase = AppliedRule.Phase(rawValue: rule.phase) else {
            throw ControlError(.badMessage, "an imported event has an unknown kind")
        }
        var applied = AppliedRule(
            rule: rule.rule, phase: phase, outcome: rule.outcome, detail: rule.detail)
        if let startNs = rule.holdStartNs, let durationNs = rule.holdNs {
            applied.hold = AppliedRule.Hold(startNs: startNs, durationNs: durationNs)
        }
        return .appliedRule(applied)
    }
}
