internal import FoundationEssentials
public import ProxydHTTPModel

extension RequestHead: Codable {
    public init(from decoder: any Decoder) throws {
        self = try CodedHead(from: decoder).requestHead()
    }

    public func encode(to encoder: any Encoder) throws {
        try CodedHead(self).encode(to: encoder)
    }
}

extension ResponseHead: Codable {
    public init(from decoder: any Decoder) throws {
        self = try CodedHead(from: decoder).responseHead()
    }

    public func encode(to encoder: any Encoder) throws {
        try CodedHead(self).encode(to: encoder)
    }
}

/// A head in the format of the control socket: the bytes, and the offsets of its parts.
///
/// The bytes are authoritative; the offsets save the daemon from parsing again, and are checked.
private struct CodedHead: Codable {
    var bytes: Data
    var lines: [[UInt32]]
    /// The bytes that `lines` refer to, if those were repaired and are not in `bytes`.
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
        lines = head.fields.lines.map(\.offsets)
        (major, minor) = (head.version.major, head.version.minor)
        (rangeStart, rangeEnd) = (head.targetRange.lowerBound, head.targetRange.upperBound)
        method = head.method.rawValue
        guard head.version >= .http2 else { return }
        pseudoLines = head.pseudoFields.map(\.offsets)
        codings = Data(head.codings)
    }

    init(_ head: ResponseHead) {
        bytes = Data(head.bytes)
        lines = head.fields.lines.map(\.offsets)
        if head.fields.bytes != head.bytes { repairedLines = Data(head.fields.bytes) }
        (major, minor) = (head.version.major, head.version.minor)
        (rangeStart, rangeEnd) = (head.reasonRange.lowerBound, head.reasonRange.upperBound)
        status = head.status
        guard head.version >= .http2 else { return }
        pseudoLines = head.pseudoFields.map(\.offsets)
        codings = Data(head.codings)
    }

    func requestHead() throws(ControlError) -> RequestHead {
        guard let method, !method.isEmpty else {
            throw ControlError(.badMessage, "an imported request head has no method")
        }
        let all = [UInt8](bytes)
        return RequestHead(
            bytes: all, method: HTTPMethod(rawValue: method), targetRange: try range(),
            version: try HTTPVersion(imported: [major, minor]), pseudoFields: try pseudoFields(all),
            fields: try HeaderFields(bytes: all, offsets: lines)
        ).withCodings(codings.map { [UInt8]($0) } ?? [])
    }

    func responseHead() throws(ControlError) -> ResponseHead {
        guard let status, (100...999).contains(status) else {
            throw ControlError(.badMessage, "an imported response head has no valid status")
        }
        let all = [UInt8](bytes)
        return ResponseHead(
            bytes: all, version: try HTTPVersion(imported: [major, minor]), status: status,
            reasonRange: try range(), pseudoFields: try pseudoFields(all),
            fields: try HeaderFields(
                bytes: repairedLines.map { [UInt8]($0) } ?? all, offsets: lines)
        ).withCodings(codings.map { [UInt8]($0) } ?? [])
    }

    private func pseudoFields(_ all: [UInt8]) throws(ControlError) -> [HeaderFields.Line] {
        try HeaderFields(bytes: all, offsets: pseudoLines ?? []).lines
    }

    private func range() throws(ControlError) -> Range<Int> {
        guard 0 <= rangeStart, rangeStart <= rangeEnd, rangeEnd <= bytes.count else {
            throw ControlError(.badMessage, "an imported start line is outside its head")
        }
        return rangeStart..<rangeEnd
    }
}

extension HTTPVersion {
    init(imported digits: [UInt8]) throws(ControlError) {
        guard digits.count == 2, digits.allSatisfy({ $0 <= 9 }) else {
            throw ControlError(.badMessage, "an imported message has no valid version")
        }
        self.init(major: digits[0], minor: digits[1])
    }
}

/// The bytes, and five offsets for each line.
extension HeaderFields: MemberCoded {
    static var blank: HeaderFields { HeaderFields() }

    mutating func code(_ members: inout MemberCoder) throws {
        var (bytes, offsets) = (bytes, lines.map(\.offsets))
        try members.bytes("octets", &bytes)
        try members.value("lines", &offsets)
        self = try HeaderFields(bytes: bytes, offsets: offsets)
    }

    /// Throws unless every line's offsets ascend within the bytes.
    fileprivate init(bytes: [UInt8], offsets: [[UInt32]]) throws(ControlError) {
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
        self.init(bytes: bytes, lines: lines)
    }
}

extension HeaderFields.Line {
    fileprivate var offsets: [UInt32] { [start, nameEnd, valueStart, valueEnd, end] }
}
