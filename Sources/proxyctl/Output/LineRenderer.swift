internal import ProxydPresentation
internal import ProxydTerminalLayout

/// Renders styled lines for output: made safe, truncated to the width, coloured.
struct LineRenderer: Sendable {
    /// The maximum width of a line in columns, or nil for no limit.
    var columnCount: Int?
    /// Whether styles are written as terminal sequences.
    var usesColour: Bool

    /// The line without a line break. Lines wider than the terminal are truncated with an ellipsis.
    func render(_ line: StyledText) -> String {
        guard let columnCount else { return write(line) }
        return write(line.fitted(to: columnCount))
    }

    /// The line wrapped to the terminal's width; lines after the first are indented further.
    func wrap(_ line: StyledText) -> [String] {
        guard let columnCount else { return [write(line)] }
        let hanging = min(line.leadingSpaceCount + 2, columnCount / 2)
        return line.rows(width: columnCount, hanging: hanging).map(write)
    }

    private func write(_ line: StyledText) -> String {
        line.safeRuns.map { styled($0.text, $0.style) }.joined()
    }

    private func styled(_ text: String, _ style: Style) -> String {
        let codes = usesColour ? style.graphicCodes : ""
        return codes.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }
}

extension StyledText {
    /// The number of leading spaces.
    fileprivate var leadingSpaceCount: Int {
        var count = 0
        for run in runs {
            let spaces = run.text.prefix { $0 == " " }.count
            count += spaces
            if spaces < run.text.count { break }
        }
        return count
    }
}
