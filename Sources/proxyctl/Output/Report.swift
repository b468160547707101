internal import ProxydPresentation
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydTerminalText

/// What a command prints, line by line, in the environment it runs in.
struct Report: Sendable {
    private let sink: any ByteSink
    private let renderer: LineRenderer

    /// A report on standard output.
    init(_ environment: Environment = .current) {
        sink = environment.output
        renderer = LineRenderer(
            columnCount: environment.columnCount, usesColour: environment.usesColour)
    }

    /// Prints one line for a person, cut where it is wider than the terminal.
    func line(_ text: StyledText = "") {
        sink.write(Array((renderer.render(text) + "\n").utf8))
    }

    /// Prints one line for a person, on several where it is wider than the terminal.
    func wrapped(_ text: StyledText) {
        for line in renderer.wrap(text) { sink.write(Array((line + "\n").utf8)) }
    }

    /// Prints one line that may be wider than the terminal, so that it can be copied whole.
    func whole(_ text: StyledText) {
        let renderer = LineRenderer(columnCount: nil, usesColour: renderer.usesColour)
        sink.write(Array((renderer.render(text) + "\n").utf8))
    }

    /// Prints one JSON value as one line.
    func json(_ value: JSONValue) {
        var line: [UInt8] = []
        JSONText.write(value, into: &line)
        line.append(0x0A)
        sink.write(line)
    }

    /// Prints octets as they are. Only for what the user asked to have exactly, and not for a
    /// terminal.
    func exactly(_ octets: [UInt8]) { sink.write(octets) }

    /// Lets what was printed be seen now.
    func flush() { sink.flush() }

    /// Says something on standard error.
    static func warn(_ message: String, _ environment: Environment = .current) {
        environment.errors.write(Array("proxyctl: \(TerminalText.sanitize(message))\n".utf8))
        environment.errors.flush()
    }
}
