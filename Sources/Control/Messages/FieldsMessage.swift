internal import FoundationEssentials
internal import ProxydHTTPModel

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
