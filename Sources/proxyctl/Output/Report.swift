internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydTerminalText

/// Prints the output of a command line by line.
struct Report: Sendable {
    private let sink: any ByteSink
    private let renderer: LineRenderer

    /// Creates a report on standard output.
    init(_ environment: Environment = .current) {
        sink = environment.output
        renderer = LineRenderer(
            columnCount: environment.columnCount, usesColour: environment.usesColour)
    }

    /// Prints one line for users, truncated to the width of the terminal.
    func line(_ text: StyledText = "") {
        sink.write(Array((renderer.render(text) + "\n").utf8))
    }

    /// Prints one line for users, wrapped to the width of the terminal.
    func wrapped(_ text: StyledText) {
        for line in renderer.wrap(text) { sink.write(Array((line + "\n").utf8)) }
    }

    /// Prints one line that may be wider than the terminal, so that it can be copied completely.
    func whole(_ text: StyledText) {
        let renderer = LineRenderer(columnCount: nil, usesColour: renderer.usesColour)
        sink.write(Array((renderer.render(text) + "\n").utf8))
    }

    /// Prints a JSON value on one line.
    func json(_ value: JSONValue) {
        var line: [UInt8] = []
        JSONText.write(value, into: &line)
        line.append(0x0A)
        sink.write(line)
    }

    /// Prints bytes unchanged. Only for output that the user requested exactly, and not on a
    /// terminal.
    func exactly(_ bytes: [UInt8]) { sink.write(bytes) }

    /// Flushes the output.
    func flush() { sink.flush() }

    /// Prints a message to standard error.
    static func warn(_ message: String, _ environment: Environment = .current) {
        environment.errors.write(Array("proxyctl: \(TerminalText.sanitize(message))\n".utf8))
        environment.errors.flush()
    }
}
