internal import ProxydPresentation
internal import ProxydCaptureModel

/// One line of a summary.
struct SummaryLine: Sendable {
    /// What happens when the line is chosen.
    enum Choice: Sendable {
        case nothing
        /// Lists the rows that match this in addition to the filter.
        case filter(String)
        case open(ExchangeRow)
    }

    var text = StyledText()
    /// The text at the right edge.
    var value = StyledText()
    /// The length of a bar between the two, 0 to 1.
    var share: Double?
    var choice = Choice.nothing

    var isChoice: Bool {
        if case .nothing = choice { return false }
        return true
    }

    static let blank = SummaryLine()

    static func heading(_ text: String) -> SummaryLine {
        SummaryLine(text: StyledText(text, Style(.heading).adding(.bold)))
    }

    static func pair(_ name: String, _ value: String, _ style: Style = .plain) -> SummaryLine {
        let padded = name + String(repeating: " ", count: max(1, 12 - name.count))
        return SummaryLine(
            text: StyledText("  " + padded, Style(.dim)) + StyledText(value, style))
    }
}
