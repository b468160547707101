internal import ProxydHTTPModel

/// Assembles a request head line by line in one buffer (RFC 9112 §2.1).
struct HeadWriter {
    private var bytes: [UInt8] = []
    private var lines: [HeaderFields.Line] = []
    private let method: HTTPMethod
    private let targetRange: Range<Int>

    init(method: HTTPMethod, target: [UInt8], lineCount: Int) {
        self.method = method
        bytes.reserveCapacity(512)
        lines.reserveCapacity(lineCount)
        bytes.append(contentsOf: method.rawValue.utf8)
        bytes.append(0x20)
        let start = bytes.count
        bytes.append(contentsOf: target)
        targetRange = start..<bytes.count
        bytes.append(contentsOf: " HTTP/1.1\r\n".utf8)
    }

    /// Whether a line with a recognised name was written.
    func has(_ name: FieldName) -> Bool { lines.contains { $0.name == name } }

    /// Whether a line with the same name was written.
    func has(_ line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        if line.name != .other { return has(line.name) }
        let name = fields.bytes.span.extracting(line.nameRange)
        for written in lines where written.name == .other {
            let other = bytes.span.extracting(written.nameRange)
            if ASCII.equalsIgnoringCase(other, name) { return true }
        }
        return false
    }

    /// Copies a line from other fields.
    mutating func append(_ line: HeaderFields.Line, of fields: HeaderFields) {
        let shift = offset &- line.start
        bytes.append(contentsOf: fields.bytes[line.range])
        lines.append(
            HeaderFields.Line(
                start: line.start &+ shift, nameEnd: line.nameEnd &+ shift,
                valueStart: line.valueStart &+ shift, valueEnd: line.valueEnd &+ shift,
                end: line.end &+ shift, name: line.name))
    }

    /// Writes a line from its parts.
    mutating func append(_ name: FieldName, _ spelling: StaticString, _ value: String) {
        let start = offset
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
        let nameEnd = offset
        bytes.append(contentsOf: ": ".utf8)
        let valueStart = offset
        bytes.append(contentsOf: value.utf8)
        let valueEnd = offset
        bytes.append(contentsOf: "\r\n".utf8)
        lines.append(
            HeaderFields.Line(
                start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd,
                end: offset, name: name))
    }

    /// The finished head.
    consuming func finish() -> RequestHead {
        bytes.append(contentsOf: "\r\n".utf8)
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: .http11,
            fields: HeaderFields(bytes: bytes, lines: lines))
    }

    private var offset: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }
}
