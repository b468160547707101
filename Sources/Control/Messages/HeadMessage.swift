internal import ProxydHTTPModel
internal import FoundationEssentials

/// A request or response head in the format of the control socket: the bytes, and the offsets of
/// its parts.
///
/// The bytes are authoritative; the offsets save the daemon from parsing again, and are checked.
struct HeadMessage: Sendable, Hashable, Codable {
    var bytes: Data
    var lines: [[UInt32]]
    /// The bytes that `lines` refer to if they were repaired and are therefore not those of
    /// `bytes`.
    var repairedLines: Data?
    var major: UInt8
    var minor: UInt8
    /// A request's target or a response's reason phrase: the first byte and one past the last.
    var rangeStart: Int
    var rangeEnd: Int
    var method: String?
    var status: Int?
    /// Pseudo-fields of an HTTP/2 head, as in `lines`, and how its lines were written.
    var pseudoLines: [[UInt32]]?
    var codings: Data?

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case bytes = "octets"
        case lines, repairedLines, major, minor, rangeStart, rangeEnd, method, status, pseudoLines
        case codings
    }

    init(_ head: RequestHead) {
        bytes = Data(head.bytes)
        lines = FieldsMessage.offsets(of: head.fields.lines)
        (major, minor) = (head.version.major, head.version.minor)
        (rangeStart, rangeEnd) = (head.targetRange.lowerBound, head.targetRange.upperBound)
        method = head.method.rawValue
        guard head.version >= .http2 else { return }
        pseudoLines = FieldsMessage.offsets(of: head.pseudoFields)
        codings = Data(head.codings)
    }

    init(_ head: ResponseHead) {
        bytes = Data(head.bytes)
        lines = FieldsMessage.offsets(of: head.fields.lines)
        if head.fields.bytes != head.bytes { repairedLines = Data(head.fields.bytes) }
        (major, minor) = (head.version.major, head.version.minor)
        (rangeStart, rangeEnd) = (head.reasonRange.lowerBound, head.reasonRange.upperBound)
        status = head.status
        guard head.version >= .http2 else { return }
        pseudoLines = FieldsMessage.offsets(of: head.pseudoFields)
        codings = Data(head.codings)
    }

    func requestHead() throws(ControlError) -> RequestHead {
        guard let method, !method.isEmpty else {
            throw ControlError(.badMessage, "an imported request head has no method")
        }
        let all = [UInt8](bytes)
        return RequestHead(
            bytes: all, method: HTTPMethod(rawValue: method), targetRange: try range(),
            version: try version(), pseudoFields: try pseudoFields(all),
            fields: try FieldsMessage.fields(bytes: all, offsets: lines)
        ).withCodings(codings.map { [UInt8]($0) } ?? [])
    }

    func responseHead() throws(ControlError) -> ResponseHead {
        guard let status, (100...999).contains(status) else {
            throw ControlError(.badMessage, "an imported response head has no valid status")
        }
        let all = [UInt8](bytes)
        return ResponseHead(
            bytes: all, version: try version(), status: status, reasonRange: try range(),
            pseudoFields: try pseudoFields(all),
            fields: try FieldsMessage.fields(
                bytes: repairedLines.map { [UInt8]($0) } ?? all, offsets: lines)
        ).withCodings(codings.map { [UInt8]($0) } ?? [])
    }

    private func pseudoFields(_ all: [UInt8]) throws(ControlError) -> [HeaderFields.Line] {
        try FieldsMessage.fields(bytes: all, offsets: pseudoLines ?? []).lines
    }

    private func range() throws(ControlError) -> Range<Int> {
        guard 0 <= rangeStart, rangeStart <= rangeEnd, rangeEnd <= bytes.count else {
            throw ControlError(.badMessage, "an imported start line is outside its head")
        }
        return rangeStart..<rangeEnd
    }

    private func version() throws(ControlError) -> HTTPVersion {
        guard major <= 9, minor <= 9 else {
            throw ControlError(.badMessage, "an imported head has no valid version")
        }
        return HTTPVersion(major: major, minor: minor)
    }
}

/// `HeaderFields` in the format of the control socket: the bytes, and five offsets per line.
struct FieldsMessage: Sendable, Hashable, Codable {
    var bytes: Data
    var lines: [[UInt32]]

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case bytes = "octets"
        case lines
    }

    init(_ fields: HeaderFields) {
        bytes = Data(fields.bytes)
        lines = FieldsMessage.offsets(of: fields.lines)
    }

    func fields() throws(ControlError) -> HeaderFields {
        try FieldsMessage.fields(bytes: [UInt8](bytes), offsets: lines)
    }

    static func offsets(of lines: [HeaderFields.Line]) -> [[UInt32]] {
        lines.map { [$0.start, $0.nameEnd, $0.valueStart, $0.valueEnd, $0.end] }
    }

    /// Fields over bytes; throws unless every line's offsets ascend within the bytes.
    static func fields(
        bytes: [UInt8], offsets: [[UInt32]]
    ) throws(ControlError) -> HeaderFields {
        var lines: [HeaderFields.Line] = []
        lines.reserveCapacity(offsets.count)
        for line in offsets {
            guard line.count == 5, line == line.sorted(), line[4] <= bytes.count else {
                throw ControlError(.badMessage, "a field line is outside its head")
            }
            let name = bytes.span.extracting(Int(line[0])..<Int(line[1]))
            lines.append(
                HeaderFields.Line(
                    start: line[0], nameEnd: line[1], valueStart: line[2], valueEnd: line[3],
                    end: line[4], name: FieldName(name)))
        }
        return HeaderFields(bytes: bytes, lines: lines)
    }
}

/// `RawURL` in the format of the control socket.
struct URLMessage: Sendable, Hashable, Codable {
    var scheme: String
    var host: String
    var port: UInt16
    var origin: Data

    init(_ url: RawURL) {
        scheme = url.scheme
        host = url.host
        port = url.port
        origin = Data(url.origin)
    }

    var url: RawURL {
        RawURL(scheme: scheme, host: host, port: port, origin: [UInt8](origin))
    }
}
