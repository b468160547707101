internal import ProxydParameterCoding

/// Reads values that are not messages.
extension MessageReading {
    /// A value, and whether it equals the default.
    struct Scalar {
        let json: JSONValue
        let isDefault: Bool
    }

    /// The value of a field; nil if it has another wire type.
    mutating func scalar(
        _ field: FieldDescriptor, _ value: WireValue, _ bytes: [UInt8]
    ) throws(ProtobufError) -> Scalar? {
        switch value {
        case .varint(let value):
            return varint(field, value).map { Scalar(json: $0, isDefault: value == 0) }
        case .fixed32(let bits):
            return fixed32(field.kind, bits).map { Scalar(json: $0, isDefault: bits == 0) }
        case .fixed64(let bits):
            return fixed64(field.kind, bits).map { Scalar(json: $0, isDefault: bits == 0) }
        case .bytes(let content):
            try budget.look(byteCount: content.count, at: content.lowerBound)
            return delimited(field.kind, bytes[content]).map {
                Scalar(json: $0, isDefault: content.isEmpty)
            }
        case .group: return nil
        }
    }

    private func varint(_ field: FieldDescriptor, _ value: UInt64) -> JSONValue? {
        switch field.kind {
        case .int32: .digits(Int32(truncatingIfNeeded: value))
        case .uint32: .digits(UInt32(truncatingIfNeeded: value))
        case .sint32: .digits(ZigZag.decoded(UInt32(truncatingIfNeeded: value)))
        case .int64: .string(String(Int64(bitPattern: value)))
        case .uint64: .string(String(value))
        case .sint64: .string(String(ZigZag.decoded(value)))
        case .bool: .bool(value != 0)
        case .enum: name(of: Int32(truncatingIfNeeded: value), field.typeName)
        default: nil
        }
    }

    private func fixed32(_ kind: FieldDescriptor.Kind, _ bits: UInt32) -> JSONValue? {
        switch kind {
        case .fixed32: .digits(bits)
        case .sfixed32: .digits(Int32(bitPattern: bits))
        case .float: .floating(Float(bitPattern: bits))
        default: nil
        }
    }

    private func fixed64(_ kind: FieldDescriptor.Kind, _ bits: UInt64) -> JSONValue? {
        switch kind {
        case .fixed64: .string(String(bits))
        case .sfixed64: .string(String(Int64(bitPattern: bits)))
        case .double: .floating(Double(bitPattern: bits))
        default: nil
        }
    }

    private func delimited(_ kind: FieldDescriptor.Kind, _ bytes: ArraySlice<UInt8>) -> JSONValue? {
        switch kind {
        case .string: .string(String(decoding: bytes, as: UTF8.self))
        case .bytes: .string(Base64.text(Array(bytes)))
        default: nil
        }
    }

    private func name(of number: Int32, _ type: String) -> JSONValue {
        if type == "google.protobuf.NullValue" { return .null }
        let name = registry.enum(named: type)?.names[number]
        return name.map(JSONValue.string) ?? .digits(number)
    }

    /// The default for a missing key or value of a map entry.
    mutating func defaultValue(
        of field: FieldDescriptor, depth: Int
    ) throws(ProtobufError) -> JSONValue {
        switch field.kind {
        case .double, .float, .int32, .fixed32, .uint32, .sfixed32, .sint32: .digits(0)
        case .int64, .uint64, .fixed64, .sfixed64, .sint64: .string("0")
        case .bool: .bool(false)
        case .string, .bytes: .string("")
        case .enum: name(of: registry.enum(named: field.typeName)?.first ?? 0, field.typeName)
        case .message, .group:
            try nested(MessagePart([]), type: field.typeName, depth: depth) ?? .object([])
        }
    }
}

extension FieldDescriptor {
    var isMessage: Bool { kind == .message || kind == .group }
}

extension FieldDescriptor.Kind {
    /// Whether values can be packed, that is, concatenated without tags.
    var isPackable: Bool {
        switch self {
        case .string, .bytes, .message, .group: false
        default: true
        }
    }
}

extension WireField {
    /// The range of a message's fields; nil if the value cannot be a message.
    var content: Range<Int>? {
        switch value {
        case .bytes(let content), .group(let content): content
        case .varint, .fixed32, .fixed64: nil
        }
    }
}

extension WireReader {
    /// The next value of a packed field; nil at the end.
    mutating func nextPacked(_ kind: FieldDescriptor.Kind) throws(ProtobufError) -> WireValue? {
        guard !isAtEnd else { return nil }
        switch kind {
        case .float, .fixed32, .sfixed32: return .fixed32(UInt32(truncatingIfNeeded: try fixed(4)))
        case .double, .fixed64, .sfixed64: return .fixed64(try fixed(8))
        default: return try nextVarint().map(WireValue.varint)
        }
    }
}

extension JSONValue {
    /// A scalar as the name of a map member.
    var mapKey: String {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .null, .array, .object: ""
        }
    }

    static func digits(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// A number in its shortest form; a non-finite number is the string defined by ProtoJSON.
    static func floating(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
        let text = value.description
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}
