internal import ProxydHTTPModel

/// The verbs of a rules file; each is a key of an action's table.
enum RuleVerbName: String, CaseIterable {
    case set, add, remove, replace
    case sendTo = "send_to"
    case serve, respond, mock, block
    case delay = "delay_ms"
    case throttle, resolve, hold, run, tag
    case via
    case clientCertificate = "client_certificate"

    /// The keys that the verb accepts in the same table.
    var options: [String] {
        switch self {
        case .set, .add: ["value", "secret"]
        case .remove: ["match"]
        case .replace: ["match", "with", "times", "each", "secret"]
        case .sendTo: ["host", "strip"]
        case .serve: ["strip", "index", "missing", "headers"]
        case .respond: ["headers", "type", "body"]
        case .mock: ["match", "ignore", "order", "unmatched", "refresh", "pace"]
        case .delay: ["jitter_ms"]
        case .hold: ["timeout_s", "otherwise"]
        case .run: ["body", "timeout_ms", "otherwise"]
        case .block, .throttle, .resolve, .tag, .via, .clientCertificate: []
        }
    }

    /// All keys that any verb accepts.
    static let allOptions = Set(allCases.flatMap(\.options))

    /// The phases in which the verb can be used.
    var phases: [RulePhase] {
        switch self {
        case .set, .add, .remove, .replace, .respond: [.request, .response]
        case .sendTo, .serve, .mock: [.request]
        case .hold, .run: [.request, .response]
        case .block, .delay, .throttle, .tag: RulePhase.allCases
        case .resolve, .via, .clientCertificate: [.connect]
        }
    }
}
