internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydTerminalText

/// Prints messages as JSON or as one line each.
final class MessagePrinter {
    /// How much of a message a line shows, in bytes; the terminal's width limits it further.
    private static let shownByteCountMax = 4_096

    private let report: Report
    private let asJSON: Bool
    private let output: any ByteSink
    /// The number of messages printed so far.
    private(set) var printedCount = 0

    /// How gRPC messages are decoded, or nil while unknown.
    var grpc: GRPCReading?

    init(asJSON: Bool, _ environment: Environment) {
        report = Report(environment)
        output = environment.output
        self.asJSON = asJSON
    }

    /// Whether the output is no longer read.
    var hasFailed: Bool { output.failure != nil }

    func print(_ message: MessageRow) {
        printedCount += 1
        if asJSON { return report.json(MessageJSON.value(message, grpc: grpc, withBytes: true)) }
        report.line(line(message))
    }

    /// Flushes the output.
    func flush() { report.flush() }

    private func line(_ message: MessageRow) -> StyledText {
        let isToServer = message.direction == .toServer
        var line = StyledText("\(WallTime.local.full(message.atNs)) ", .dim)
        line.append(isToServer ? "→ " : "← ", isToServer ? .accent : .good)
        line.append(
            TerminalText.padded(message.kind.name, to: 9), message.kind.isData ? .plain : .dim)
        let size = Quantity.bytes(message.byteCount)
        line.append(String(repeating: " ", count: max(0, 8 - size.count)) + size + "  ")
        line.append(
            MessageText.line(
                of: message, byteCountMax: MessagePrinter.shownByteCountMax, grpc: grpc))
        if let problem = message.problem { line.append("  (\(problem))", .bad) }
        if message.flags.contains(.cut) { line.append("  (cut)", .notice) }
        return line
    }
}
