package import ProxydPresentation
internal import ProxydTerminalText

/// The only conversion from raw text to terminal output, and the width of the result.
extension StyledText {
    /// The runs made safe to print; tabs in runs with tab stops become spaces.
    package var safeRuns: [Run] {
        // Tab stops are counted from the start of the tabbed text.
        var column = 0
        return runs.map { run in
            guard run.hasTabStops else {
                column = 0
                return Run(text: TerminalText.sanitize(run.text), style: run.style)
            }
            let text = TerminalText.sanitizeTabbed(run.text, from: column)
            column += TerminalText.displayWidth(text)
            return Run(text: text, style: run.style)
        }
    }

    /// The text as it is printed, without styles.
    package var safeText: String { safeRuns.map(\.text).joined() }

    /// The width on a terminal in columns.
    package var columnCount: Int {
        safeRuns.reduce(0) { $0 + TerminalText.displayWidth($1.text) }
    }
}
