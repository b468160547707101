internal import ProxydPresentation
internal import ProxydTerminalText

/// Prints captured bytes: unchanged to files and pipes, made visible on a terminal.
final class OctetPrinter {
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

    func print(_ octets: [UInt8]) {
        guard isTerminal else { return report.exactly(octets) }
        let room = OctetPrinter.terminalByteCountMax - collected.count
        collected += octets.prefix(max(0, room))
    }

    /// Ends the output.
    func finish() {
        guard isTerminal, !collected.isEmpty else { return }
        var text = TerminalText.sanitize(collected, layout: .multiLine)
        if !text.hasSuffix("\n") { text += "\n" }
        report.exactly(Array(text.utf8))
        if collected.count == OctetPrinter.terminalByteCountMax {
            report.line(StyledText("… truncated: redirect the output to get everything", .dim))
        }
    }
}
