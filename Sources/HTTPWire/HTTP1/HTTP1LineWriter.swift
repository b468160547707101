internal import ProxydHTTPModel

/// Writes the field lines of a head one after another; adjacent unchanged lines are copied
/// together.
struct HTTP1LineWriter {
    let fields: HeaderFields
    private(set) var run = 0..<0

    init(_ fields: HeaderFields) { self.fields = fields }

    /// Keeps a line byte for byte.
    mutating func keep(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        if run.upperBound == line.range.lowerBound, !run.isEmpty {
            run = run.lowerBound..<line.range.upperBound
        } else {
            flush(into: &output)
            run = line.range
        }
    }

    /// Writes the kept lines that have not been written yet.
    mutating func flush(into output: inout [UInt8]) {
        guard !run.isEmpty else { return }
        output.append(contentsOf: fields.bytes[run])
        run = 0..<0
    }

    /// Writes a line's name as spelled in the message, with a different value.
    mutating func replace(
        _ line: HeaderFields.Line, into output: inout [UInt8], value: (inout [UInt8]) -> Void
    ) {
        flush(into: &output)
        output.append(contentsOf: fields.bytes[line.nameRange])
        output.append(0x3A)
        output.append(0x20)
        value(&output)
        output.append(0x0D)
        output.append(0x0A)
    }

    mutating func add(
        _ name: StaticString, into output: inout [UInt8], value: (inout [UInt8]) -> Void
    ) {
        flush(into: &output)
        output.append(name)
        output.append(0x3A)
        output.append(0x20)
        value(&output)
        output.append(0x0D)
        output.append(0x0A)
    }
}

extension [UInt8] {
    mutating func append(_ literal: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount
            )
        )
    }
}

/// Lines written the same way for requests and responses.
extension HTTP1LineWriter {
    /// Whether a Content-Length or Transfer-Encoding line exactly describes where a body ends.
    func says(_ body: BodyLength, _ line: HeaderFields.Line) -> Bool {
        let value = fields.bytes.span.extracting(line.valueRange)
        return switch body {
        case .exactly(let count):
            line.name == .contentLength && WireNumber.decimal(value) == count
                && !hasLeadingZero(value)
        case .chunked: line.name == .transferEncoding && ASCII.equalsIgnoringCase(value, "chunked")
        case .none, .untilClose: false
        }
    }

    /// Whether a number starts with a zero; some recipients read such a number as octal.
    private func hasLeadingZero(_ digits: Span<UInt8>) -> Bool {
        digits.count > 1 && digits[0] == UInt8(ascii: "0")
    }

    /// Appends the line that says where a body ends, if one is needed.
    mutating func addFraming(_ body: BodyLength, into output: inout [UInt8]) {
        switch body {
        case .exactly(let count):
            add("Content-Length", into: &output) { WireNumber.appendDecimal(count, to: &$0) }
        case .chunked: add("Transfer-Encoding", into: &output) { $0.append("chunked") }
        case .none, .untilClose: break
        }
    }

    mutating func writeConnection(
        _ connection: ConnectionLine, inPlaceOf line: HeaderFields.Line, into output: inout [UInt8]
    ) {
        if connection.isSame(as: line, of: fields) {
            keep(line, into: &output)
        } else {
            replace(line, into: &output, value: connection.writeValue)
        }
    }

    /// Appends the proxy's own Via line (RFC 9110 §7.6.3): the version in which the message was
    /// received, and the proxy's name.
    mutating func addVia(
        _ pseudonym: String, received version: HTTPVersion, into output: inout [UInt8]
    ) {
        add("Via", into: &output) {
            $0.append(0x30 &+ version.major)
            $0.append(0x2E)
            $0.append(0x30 &+ version.minor)
            $0.append(0x20)
            $0.append(contentsOf: pseudonym.utf8)
        }
    }
}

/// The Connection line of a forwarded head: only options that apply to the proxy's own connection.
struct ConnectionLine {
    var closes = false
    var upgrades = false
    var announcesTE = false
    /// Whether the next proxy is told how many have forwarded the request.
    var namesHops = false

    /// Whether no option is set, so that no line is needed.
    var isEmpty: Bool { !closes && !upgrades && !announcesTE && !namesHops }

    /// Whether a received line already contains exactly these options.
    func isSame(as line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        let value = fields.bytes.span.extracting(line.valueRange)
        guard !namesHops else { return false }
        return switch (closes, upgrades, announcesTE) {
        case (true, false, false): ASCII.equalsIgnoringCase(value, "close")
        case (false, true, false): ASCII.equalsIgnoringCase(value, "upgrade")
        case (false, false, true): ASCII.equalsIgnoringCase(value, "te")
        default: false
        }
    }

    func writeValue(into output: inout [UInt8]) {
        var isFirst = true
        func write(_ option: StaticString) {
            if !isFirst { output.append(", ") }
            isFirst = false
            output.append(option)
        }
        if closes { write("close") }
        if upgrades { write("Upgrade") }
        if announcesTE { write("TE") }
        if namesHops { write("Proxyd-Hops") }
    }
}
