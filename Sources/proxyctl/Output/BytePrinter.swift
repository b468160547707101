internal import ProxydPresentation
internal import ProxydTerminalText

/// Prints captured bytes: unchanged to files and pipes, made visible on a terminal.
final class BytePrinter {
    private let report: Report
    private let isTerminal: Bool
    /// On a terminal everything is collected first, so that no character is split.
    private var collected: [UInt8] = []

    /// The maximum size printed on a terminal, in bytes.
    private static let terminalByteCountMax = 1 << 20

    init(_ environment: Environment) {
        report = Report(environment)
        isTerminal = environment.isTerminal
    }

    func print(_ bytes: [UInt8]) {
        guard isTerminal else { return report.exactly(bytes) }
        let room = BytePrinter.terminalByteCountMax - collected.count
        collected += bytes.prefix(max(0, room))
    }

    /// Ends the output.
    func finish() {
        guard isTerminal, !collected.isEmpty else { return }
        var text = TerminalText.sanitize(collected, layout: .multiLine)
        if !text.hasSuffix("\n") { text += "\n" }
        report.exactly(Array(text.utf8))
        if collected.count == BytePrinter.terminalByteCountMax {
            report.line(StyledText("… truncated: redirect the output to get everything", .dim))
        }
    }
}
