internal import ProxydHTTPModel

/// Lines written the same way for requests and responses.
extension HTTP1LineWriter {
    /// Whether a Content-Length or Transfer-Encoding line exactly describes where a body ends.
    func says(_ body: BodyLength, _ line: HeaderFields.Line) -> Bool {
        let value = fields.bytes.span.extracting(line.valueRange)
        return switch body {
        case .exactly(let count):
            line.name == .contentLength && WireNumber.decimal(value) == count
                && !hasLeadingZero(value)
        case .chunked:
            line.name == .transferEncoding && ASCII.equalsIgnoringCase(value, "chunked")
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
        case .chunked:
            add("Transfer-Encoding", into: &output) { $0.append("chunked") }
        case .none, .untilClose: break
        }
    }

    /// Writes the Connection line in place of the received one.
    mutating func writeConnection(
        _ connection: ConnectionLine, inPlaceOf line: HeaderFields.Line,
        into output: inout [UInt8]
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
        _ pseudonym: String,
        received version: HTTPVersion,
        into output: inout [UInt8]
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
