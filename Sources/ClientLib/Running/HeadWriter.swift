internal import ProxydHTTPModel

/// Assembles a request head line by line in one buffer (RFC 9112 §2.1).
struct HeadWriter {
    private var octets: [UInt8] = []
    private var lines: [HeaderFields.Line] = []
    private let method: HTTPMethod
    private let targetRange: Range<Int>

    init(method: HTTPMethod, target: [UInt8], lineCount: Int) {
        self.method = method
        octets.reserveCapacity(512)
        lines.reserveCapacity(lineCount)
        octets.append(contentsOf: method.rawValue.utf8)
        octets.append(0x20)
        let start = octets.count
        octets.append(contentsOf: target)
        targetRange = start..<octets.count
        octets.append(contentsOf: " HTTP/1.1\r\n".utf8)
    }

    /// Whether a line with a recognised name was written.
    func has(_ name: FieldName) -> Bool { lines.contains { $0.name == name } }

    /// Whether a line with the same name was written.
    func has(_ line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        if line.name != .other { return has(line.name) }
        let name = fields.octets.span.extracting(line.nameRange)
        for written in lines where written.name == .other {
            let other = octets.span.extracting(written.nameRange)
            if ASCII.equalsIgnoringCase(other, name) { return true }
        }
        return false
    }

    /// Copies a line from other fields.
    mutating func append(_ line: HeaderFields.Line, of fields: HeaderFields) {
        let shift = offset &- line.start
        octets.append(contentsOf: fields.octets[line.range])
        lines.append(
            HeaderFields.Line(
                start: line.start &+ shift, nameEnd: line.nameEnd &+ shift,
                valueStart: line.valueStart &+ shift, valueEnd: line.valueEnd &+ shift,
                end: line.end &+ shift, name: line.name))
    }

    /// Writes a line from its parts.
    mutating func append(_ name: FieldName, _ spelling: StaticString, _ value: String) {
        let start = offset
        octets.append(
            contentsOf: UnsafeBufferPointer(
                start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
        let nameEnd = offset
        octets.append(contentsOf: ": ".utf8)
        let valueStart = offset
        octets.append(contentsOf: value.utf8)
        let valueEnd = offset
        octets.append(contentsOf: "\r\n".utf8)
        lines.append(
            HeaderFields.Line(
                start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd,
                end: offset, name: name))
    }

    /// The finished head.
    consuming func finish() -> RequestHead {
        octets.append(contentsOf: "\r\n".utf8)
        return RequestHead(
            octets: octets, method: method, targetRange: targetRange, version: .http11,
            fields: HeaderFields(octets: octets, lines: lines))
    }

    private var offset: UInt32 { UInt32(truncatingIfNeeded: octets.count) }
}
