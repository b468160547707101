package import ProxydPresentation
internal import ProxydTerminalText

/// The one way from raw text to a terminal, and the columns it takes there.
extension StyledText {
    /// The pieces made safe to print; tabs that have tab stops are spaces.
    package var safeRuns: [Run] {
        // Tab stops are counted from where the tabbed text starts.
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

    /// The columns it takes on a terminal.
    package var columnCount: Int {
        safeRuns.reduce(0) { $0 + TerminalText.displayWidth($1.text) }
    }
}
