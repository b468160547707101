/// The ways in which the detail screen looks at an exchange.
enum DetailTab: Int, Sendable, Hashable, CaseIterable {
    case overview, request, response, cookies, timeline, raw, hex, messages, changes, security

    /// The key that shows it, from 1 on; the tenth has 0.
    var digit: Character { Character("\((rawValue + 1) % 10)") }

    /// What the bar calls it.
    var title: String {
        switch self {
        case .overview: "Overview"
        case .request: "Request"
        case .response: "Response"
        case .cookies: "Cookies"
        case .timeline: "Timeline"
        case .raw: "Raw"
        case .hex: "Hex"
        case .messages: "Messages"
        case .changes: "Changes"
        case .security: "Security"
        }
    }

    /// What it calls it where there is little room for all.
    var shortTitle: String {
        switch self {
        case .overview: "All"
        case .request: "Req"
        case .response: "Resp"
        case .cookies, .raw, .hex: title
        case .timeline: "Time"
        case .messages: "Msgs"
        case .changes: "Changes"
        case .security: "Sec"
        }
    }

    /// The next one of some, or the one before; they go round.
    func moved(by step: Int, among tabs: [DetailTab]) -> DetailTab {
        guard let index = tabs.firstIndex(of: self) else { return .overview }
        return tabs[((index + step) % tabs.count + tabs.count) % tabs.count]
    }
}
