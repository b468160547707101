public import ProxydHTTPModel

/// Writes forwarded heads and trailers as HTTP/2 field sections (RFC 9113 §8.3).
///
/// Messages received in HTTP/2 are forwarded line by line, in the same order and with the same
/// lines marked as sensitive. Messages received in HTTP/1 get pseudo-header fields and lower-case
/// names, and lose connection-specific fields (§8.2.2).
enum HTTP2HeadWriter {
    // MARK: Requests

    /// Writes a request's head and returns how it differs from the head received.
    static func write(
        _ request: borrowing ForwardedRequest, to sink: inout some FieldSink
    ) -> ForwardingNotes {
        var notes: ForwardingNotes = request.options.isChanged ? .differs : []
        if request.url.origin.count != request.head.targetRange.count { notes = .differs }
        if request.options.isVerbatim, request.head.version < .http2 { notes = .differs }
        writePseudoFields(request, to: &sink)
        let fields = request.head.fields
        let lineActions = RequestLineActions(request)
        var wroteFraming = false
        for line in fields.lines {
            switch lineActions.action(of: line, among: fields) {
            case .kept: sink.add(line, of: fields)
            case .dropped, .connection, .upgrade: break
            case .lost: notes.insert(.differs)
            case .host: if keepsHost(request) { sink.add(line, of: fields) }
            case .framing:
                if !wroteFraming {
                    writeLength(request.body, inPlaceOf: line, of: fields, to: &sink)
                }
                wroteFraming = true
            case .te:
                if lineActions.takesTrailers { sink.add("te", "trailers", coding: line.coding) }
            case .maxForwards(let count):
                notes.insert(.differs)
                sink.add("max-forwards", String(count))
            }
        }
        if !wroteFraming, case .exactly(let count) = request.body, count > 0 {
            sink.add("content-length", String(count))
        }
        if let pseudonym = request.options.viaPseudonym {
            notes.insert(.differs)
            addVia(pseudonym, received: request.head.version, to: &sink)
        }
        return notes
    }

    /// Whether the Host line is forwarded: it was received in HTTP/2 and need not be regenerated.
    private static func keepsHost(_ request: borrowing ForwardedRequest) -> Bool {
        request.head.version >= .http2 && !request.options.regeneratesHost
    }

    /// Writes the pseudo-header fields in the order received, or otherwise in the order that most
    /// clients use. Fields that are missing, as in a newly created head, follow.
    private static func writePseudoFields(
        _ request: borrowing ForwardedRequest, to sink: inout some FieldSink
    ) {
        let head = request.head
        var written = HTTP2HeadRules.PseudoFields()
        for (index, line) in head.pseudoFields.enumerated() {
            let bytes = head.bytes.span
            guard let field = HTTP2HeadRules.PseudoField(bytes.extracting(line.nameRange)) else {
                continue
            }
            written[field] = index
            let value = bytes.extracting(line.valueRange)
            write(field, of: request, came: value, coding: line.coding, to: &sink)
        }
        func add(_ field: HTTP2HeadRules.PseudoField) {
            guard written[field] == nil else { return }
            write(field, of: request, came: nil, coding: .text, to: &sink)
        }
        let isConnect = head.isClassicConnect
        add(.method)
        if !isConnect { add(.scheme) }
        if !keepsHost(request) || head.fields.first(.host) == nil { add(.authority) }
        if !isConnect { add(.path) }
    }

    private static func write(
        _ field: HTTP2HeadRules.PseudoField, of request: borrowing ForwardedRequest,
        came value: Span<UInt8>?, coding: FieldCoding, to sink: inout some FieldSink
    ) {
        switch field {
        case .method: sink.add(":method", request.head.method.rawValue, coding: coding)
        case .scheme: sink.add(":scheme", request.url.scheme, coding: coding)
        case .path: sink.add(":path", request.url.origin.span, coding: coding)
        case .authority:
            if let value, !request.options.regeneratesHost {
                sink.add(":authority", value, coding: coding)
            } else if let line = ownHost(request) {
                let bytes = request.head.fields.bytes.span
                sink.add(":authority", bytes.extracting(line.valueRange), coding: coding)
            } else if request.head.isClassicConnect {
                sink.add(":authority", request.head.target.span, coding: coding)
            } else {
                sink.add(":authority", request.url.authority, coding: coding)
            }
        case .protocol: if let value { sink.add(":protocol", value, coding: coding) }
        case .status: break
        }
    }

    /// Returns the Host of an HTTP/1 head that is to be sent verbatim, or nil.
    private static func ownHost(_ request: borrowing ForwardedRequest) -> HeaderFields.Line? {
        guard request.options.isVerbatim, request.head.version < .http2 else { return nil }
        return request.head.fields.first(.host)
    }

    // MARK: Responses

    /// Writes a response's head. `isBodiless` means that no body follows, whatever the fields say.
    static func write(
        _ response: borrowing ForwardedResponse, isBodiless: Bool, to sink: inout some FieldSink
    ) {
        sink.add(
            ":status", String(response.head.status),
            coding: response.head.pseudoFields.first?.coding ?? .text)
        let fields = response.head.fields
        let received = ConnectionOptions(fields)
        var wroteFraming = false
        for line in fields.lines {
            switch line.name {
            case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .te,
                .http2Settings:
                break
            case .contentLength:
                guard !wroteFraming else { continue }
                wroteFraming = true
                if isBodiless {
                    // A 204 has no content that could have a length (RFC 9110 §8.6).
                    let length = fields.bytes.span.extracting(line.valueRange)
                    guard response.head.status != 204 || WireNumber.decimal(length) == 0 else {
                        continue
                    }
                    sink.add(line, of: fields)
                } else {
                    writeLength(response.body, inPlaceOf: line, of: fields, to: &sink)
                }
            default: if !received.nominates(line, of: fields) { sink.add(line, of: fields) }
            }
        }
        if !wroteFraming, !isBodiless, response.head.version < .http2,
            case .exactly(let count) = response.body
        {
            sink.add("content-length", String(count))
        }
        if let date = response.options.date, !response.head.isInformational,
            fields.first(.date) == nil
        {
            sink.add("date", date)
        }
        if let pseudonym = response.options.viaPseudonym {
            addVia(pseudonym, received: response.head.version, to: &sink)
        }
    }

    private static func addVia(
        _ pseudonym: String, received version: HTTPVersion, to sink: inout some FieldSink
    ) {
        sink.add("via", "\(version.major).\(version.minor) \(pseudonym)")
    }

    // MARK: Trailers

    /// Writes trailers without connection-specific lines and credentials for proxies.
    static func write(trailers: HeaderFields, to sink: inout some FieldSink) {
        for line in trailers.lines {
            switch line.name {
            case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .te,
                .proxyAuthorization:
                break
            default: sink.add(line, of: trailers)
            }
        }
    }

    /// Writes Content-Length, unchanged if the received value is correct.
    private static func writeLength(
        _ body: BodyLength, inPlaceOf line: HeaderFields.Line, of fields: HeaderFields,
        to sink: inout some FieldSink
    ) {
        guard case .exactly(let count) = body else { return }
        let value = fields.bytes.span.extracting(line.valueRange)
        if line.name == .contentLength, WireNumber.decimal(value) == count {
            sink.add(line, of: fields)
        } else {
            sink.add("content-length", String(count), coding: line.coding)
        }
    }
}

extension ForwardedResponse {
    /// Returns the head as it is sent on an HTTP/2 stream in response to a method, in the form in
    /// which such heads are recorded.
    public func http2Head(to method: HTTPMethod) -> ResponseHead {
        let isTunnel = Framing.isTunnel(status: head.status, to: method)
        let isBodiless = Framing.isBodiless(status: head.status, to: method)
        var text = TextSink()
        HTTP2HeadWriter.write(self, isBodiless: isBodiless && !isTunnel, to: &text)
        return (try? HTTP2HeadText.responseHead(text.bytes)) ?? head
    }
}

/// Receives the field lines of a section that is being written.
protocol FieldSink {
    /// Adds a line whose name is in lower case.
    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding)
}

extension FieldSink {
    mutating func add(_ name: StaticString, _ value: Span<UInt8>, coding: FieldCoding = .text) {
        let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        add(name: bytes.span, value: value, coding: coding)
    }

    mutating func add(_ name: StaticString, _ value: String, coding: FieldCoding = .text) {
        add(name, value.utf8.span, coding: coding)
    }

    /// Adds a line of a message with its name in lower case.
    mutating func add(_ line: HeaderFields.Line, of fields: borrowing HeaderFields) {
        let bytes = fields.bytes.span
        let name = bytes.extracting(line.nameRange)
        let value = bytes.extracting(line.valueRange)
        if name.indices.contains(where: { ByteClass.isUpperCase(name[$0]) }) {
            let lowercase = name.indices.map { ASCII.lowercased(name[$0]) }
            add(name: lowercase.span, value: value, coding: line.coding)
        } else {
            add(name: name, value: value, coding: line.coding)
        }
    }
}

/// Encodes field lines with HPACK: the blocks of one direction of a connection, one after another.
struct EncodingSink: FieldSink {
    /// Memory up to this size is kept for the next block.
    private static let keptByteCountMax = 1_024

    var encoder = HPACKEncoder()
    /// The most recent block.
    private(set) var block: [UInt8] = []

    mutating func begin() {
        block.removeAll(keepingCapacity: block.capacity <= Self.keptByteCountMax)
        encoder.beginBlock(into: &block)
    }

    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding) {
        encoder.encode(name: name, value: value, coding: coding, into: &block)
    }
}

/// Writes field lines as text, the form in which heads are recorded.
struct TextSink: FieldSink {
    private var lines: [UInt8] = []

    var bytes: [UInt8] { lines + [0x0D, 0x0A] }

    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding) {
        name.withUnsafeBufferPointer { lines.append(contentsOf: $0) }
        lines.append(": ")
        value.withUnsafeBufferPointer { lines.append(contentsOf: $0) }
        lines.append("\r\n")
    }
}

/// HTTP/2 heads as text, the form in which they are recorded: a line `name: value` for each field,
/// including pseudo-header fields, and an empty line. The name of a pseudo-header field starts with
/// a colon, which no HTTP/1 head does.
enum HTTP2HeadText {
    /// Whether bytes are such a text rather than an HTTP/1 head.
    static func isHead(_ bytes: [UInt8]) -> Bool { bytes.first == UInt8(ascii: ":") }

    static func requestHead(_ bytes: [UInt8]) throws(WireError) -> RequestHead {
        let (pseudo, lines) = try lines(of: bytes, role: .request)
        func find(_ name: StaticString) -> HeaderFields.Line? {
            pseudo.first { ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), name) }
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
