internal import ProxydParameterCoding

/// Shows MessagePack as indented text.
struct MessagePackViewer: ScanningViewer {
    static let name = "msgpack"

    var index: LineIndex<MessagePackScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .messagePack: 90
        case .binary: 12
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(MessagePackScanner(), source)
    }

    func render(_ line: MessagePackScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        switch line.role {
        case .element(let number):
            rendered.appendLevel(line.depth)
            rendered.append("\(number): ", .dim)
        case .key: rendered.appendLevel(line.depth)
        case .memberValue: rendered.appendLevel(line.depth + 1)
        case .top: rendered.appendLevel(line.depth)
        case .continuation(let isText):
            rendered.appendLevel(line.depth + 1)
            appendBytes(bytes[...], isText: isText, to: &rendered)
            return rendered
        }
        append(bytes, isKey: line.role == .key, to: &rendered)
        return rendered
    }

    private func append(_ bytes: [UInt8], isKey: Bool, to line: inout StyledText) {
        guard let head = MessagePackHead(bytes.span) else {
            line.append("cut: ", .bad)
            line.append(HexLines.text(bytes[...]), .dim)
            return
        }
        let payload = bytes.dropFirst(head.byteCount)
        switch head.kind {
        case .null: line.append("null", .keyword)
        case .bool(let value): line.append("\(value)", .keyword)
        case .integer: line.append(integer(bytes[0], payload), .number)
        case .unsigned: line.append("\(unsigned(payload))", .number)
        case .float: line.append(float(payload), .number)
        case .string:
            if isKey { line.append(payload, .key) } else { line.append(payload, .string) }
        case .binary:
            line.append("\(Quantity.bytes(Int64(head.payloadByteCount)))  ", .dim)
            line.append(HexLines.text(payload), .string)
        case .array(let count): line.append("[ \(count) ]", .punctuation)
        case .map(let count): line.append("{ \(count) }", .punctuation)
        case .extended(let type):
            line.append("extension \(type)  ", .dim)
            line.append(HexLines.text(payload), .string)
        case .invalid: line.append("no value starts with 0xc1", .bad)
        }
        if payload.count < min(head.payloadByteCount, MessagePackScanner.valueByteCountMax) {
            line.append(" cut", .bad)
        }
    }

    private func appendBytes(
        _ bytes: ArraySlice<UInt8>, isText: Bool, to line: inout StyledText
    ) {
        if isText {
            line.append(bytes, .string)
        } else {
            line.append(HexLines.text(bytes), .string)
        }
    }

    private func unsigned(_ payload: ArraySlice<UInt8>) -> UInt64 {
        payload.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func integer(_ first: UInt8, _ payload: ArraySlice<UInt8>) -> String {
        if payload.isEmpty { return "\(Int8(bitPattern: first))" }
        let shift = UInt64(64 - 8 * min(8, payload.count))
        return "\(Int64(bitPattern: unsigned(payload) << shift) >> Int64(shift))"
    }

    private func float(_ payload: ArraySlice<UInt8>) -> String {
        let bits = unsigned(payload)
        return payload.count == 4
            ? "\(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))"
            : "\(Double(bitPattern: bits))"
    }
}
