internal import ProxydHTTPModel

/// HTTP/2 heads as text, the form in which they are recorded: a line `name: value` for each field,
/// including pseudo-header fields, and an empty line. The name of a pseudo-header field starts with
/// a colon, which no HTTP/1 head does.
enum HTTP2HeadText {
    /// Whether bytes are such a text rather than an HTTP/1 head.
    static func isHead(_ bytes: [UInt8]) -> Bool { bytes.first == UInt8(ascii: ":") }

    static func requestHead(_ bytes: [UInt8]) throws(WireError) -> RequestHead {
        let (pseudo, lines) = try lines(of: bytes, role: .request)
        func find(_ name: StaticString) -> HeaderFields.Line? {
            pseudo.first {
                ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), name)
            }
        }
        guard let method = find(":method"), let target = find(":path") ?? find(":authority") else {
            throw WireError(.badPseudoField, in: .request)
        }
        return RequestHead(
            bytes: bytes, method: HTTPMethod(rawValue: ASCII.text(bytes[method.valueRange])),
            targetRange: target.valueRange, version: .http2, pseudoFields: pseudo,
            fields: HeaderFields(bytes: bytes, lines: lines))
    }

    static func responseHead(_ bytes: [UInt8]) throws(WireError) -> ResponseHead {
        let (pseudo, lines) = try lines(of: bytes, role: .response)
        guard let line = pseudo.first,
            let status = WireNumber.decimal(bytes.span.extracting(line.valueRange)),
            100...999 ~= status
        else { throw WireError(.badStatus, in: .response) }
        return ResponseHead(
            bytes: bytes, version: .http2, status: Int(status), reasonRange: 0..<0,
            pseudoFields: pseudo, fields: HeaderFields(bytes: bytes, lines: lines))
    }

    /// Returns the pseudo-header fields and the other lines. Nothing may follow the empty line.
    private static func lines(
        of bytes: [UInt8], role: MessageRole
    ) throws(WireError) -> (pseudo: [HeaderFields.Line], lines: [HeaderFields.Line]) {
        var pseudo: [HeaderFields.Line] = []
        var lines: [HeaderFields.Line] = []
        var start = 0
        while let end = endOfLine(bytes, from: start) {
            if end == start {
                guard end &+ 2 == bytes.count else { throw WireError(.closedEarly, in: role) }
                return (pseudo, lines)
            }
            guard let line = line(bytes, start..<end) else {
                throw WireError(.badFieldName, in: role)
            }
            if bytes[start] == UInt8(ascii: ":") {
                pseudo.append(line)
            } else {
                lines.append(line)
            }
            start = end &+ 2
        }
        throw WireError(.closedEarly, in: role)
    }

    private static func endOfLine(_ bytes: [UInt8], from start: Int) -> Int? {
        guard let end = bytes[start...].firstIndex(of: 0x0D), end &+ 1 < bytes.count,
            bytes[end &+ 1] == 0x0A
        else { return nil }
        return end
    }

    private static func line(_ bytes: [UInt8], _ range: Range<Int>) -> HeaderFields.Line? {
        let afterFirst = range.lowerBound &+ 1
        guard let colon = bytes[afterFirst..<range.upperBound].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let name = range.lowerBound..<colon
        let value = ASCII.trimmingOWS(bytes.span, (colon &+ 1)..<range.upperBound)
        return HeaderFields.Line(
            start: UInt32(clamping: name.lowerBound), nameEnd: UInt32(clamping: colon),
            valueStart: UInt32(clamping: value.lowerBound),
            valueEnd: UInt32(clamping: value.upperBound),
            end: UInt32(clamping: range.upperBound &+ 2),
            name: FieldName(bytes.span.extracting(name)))
    }
}
