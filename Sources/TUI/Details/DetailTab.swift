/// The ways in which the detail screen looks at an exchange.
enum DetailTab: Int, Sendable, Hashable, CaseIterable {
    case overview, request, response, cookies, timeline, raw, hex

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
        }
    }

    /// The next one, or the one before; they go round.
    func moved(by step: Int) -> DetailTab {
        let count = DetailTab.allCases.count
        return DetailTab(rawValue: ((rawValue + step) % count + count) % count) ?? .overview
    }
}
