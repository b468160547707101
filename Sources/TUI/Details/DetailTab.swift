/// The tabs of the detail screen.
enum DetailTab: Int, Sendable, Hashable, CaseIterable {
    case overview, request, response, cookies, timeline, raw, hex, messages, changes, security

    /// The key that shows the tab, starting at 1; the tenth tab has 0.
    var digit: Character { Character("\((rawValue + 1) % 10)") }

    /// The title in the tab bar.
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

    /// A shorter title for a narrow tab bar.
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

    /// The next or previous one of some tabs; wraps around.
    func moved(by step: Int, among tabs: [DetailTab]) -> DetailTab {
        guard let index = tabs.firstIndex(of: self) else { return .overview }
        return tabs[((index + step) % tabs.count + tabs.count) % tabs.count]
    }
}
