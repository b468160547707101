internal import ProxydParameterCoding

/// Shows protocol buffers without their schema: field numbers, and possible meanings of values.
struct ProtobufViewer: ScanningViewer {
    static let name = "protobuf"

    var index: LineIndex<ProtobufScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .protobuf: 90
        case .binary: 11
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(ProtobufScanner(), source)
    }

    func render(_ line: ProtobufScanner.Line, _ bytes: [UInt8]) -> StyledText {
        Self.rendered(line, bytes)
    }

    static func rendered(_ line: ProtobufScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        switch line.kind {
        case .field(let field): append(field, bytes, to: &rendered)
        case .continuation(let isText):
            rendered.appendIndent(2)
            if isText {
                rendered.append(bytes[...], .string)
            } else {
                rendered.append(HexLines.text(bytes[...]), .string)
            }
        case .problem:
            rendered.append("no field: ", .bad)
            rendered.append(HexLines.text(bytes[...]), .dim)
        }
        return rendered
    }

    private static func append(_ field: ProtobufField, _ bytes: [UInt8], to line: inout StyledText)
    {
        line.append("\(field.number)", .key)
        line.append(": ", .punctuation)
        let payload = bytes.dropFirst(field.headByteCount)
        switch field.wireType {
        case .varint: appendVarint(field.value, to: &line)
        case .fixed32:
            let bits = UInt32(truncatingIfNeeded: little(payload))
            line.append("\(bits)", .number)
            line.append("  float \(Float(bitPattern: bits))", .dim)
        case .fixed64:
            let bits = little(payload)
            line.append("\(bits)", .number)
            line.append("  double \(Double(bitPattern: bits))", .dim)
        case .delimited: appendDelimited(field, payload, to: &line)
        }
        let wanted = min(field.payloadByteCount, ProtobufScanner.valueByteCountMax)
        if field.guess != .message, payload.count < wanted { line.append(" cut", .bad) }
    }

    private static func appendVarint(_ value: UInt64, to line: inout StyledText) {
        line.append("\(value)", .number)
        if value > UInt64(Int64.max) { line.append("  int \(Int64(bitPattern: value))", .dim) }
        // ZigZag encodes negative numbers as odd values.
        if value & 1 == 1, value > 1 {
            line.append("  sint \(-Int64(bitPattern: value >> 1) - 1)", .dim)
        }
    }

    private static func appendDelimited(
        _ field: ProtobufField, _ payload: ArraySlice<UInt8>, to line: inout StyledText
    ) {
        let size = Quantity.bytes(Int64(field.payloadByteCount))
        switch field.guess {
        case .message: line.append("{ \(size) }", .punctuation)
        case .text: line.append(payload, .string)
        case .bytes:
            line.append("\(size)  ", .dim)
            line.append(HexLines.text(payload), .string)
        }
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
