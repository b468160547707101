internal import ProxydTerminalText

/// One line: pieces of text, each with its style. Made safe where it is drawn.
struct StyledLine: Sendable, Hashable, ExpressibleByStringLiteral {
    struct Run: Sendable, Hashable {
        var text: String
        var style: Style
    }

    private(set) var runs: [Run] = []

    init() {}

    init(_ text: String, _ style: Style = .plain) { append(text, style) }

    init(stringLiteral value: String) { self.init(value) }

    mutating func append(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { runs.append(Run(text: text, style: style)) }
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var sum = left
        sum.runs += right.runs
        return sum
    }

    static func += (left: inout StyledLine, right: StyledLine) { left.runs += right.runs }

    /// Its text, as it came.
    var text: String { runs.map(\.text).joined() }

    /// The columns it takes on a screen.
    var width: Int {
        runs.reduce(0) { $0 + TerminalText.displayWidth(TerminalText.sanitize($1.text)) }
    }
}
