internal import ProxydCivilTime
internal import ProxydParameterCoding

extension MessageReading {
    /// The JSON form of a message of a well-known type; nil if this one has none: a time out of
    /// range, or an unknown field.
    mutating func wellKnown(
        _ type: WellKnownType, _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        switch type {
        case .any: return try any(part, depth: depth)
        case .timestamp: return try time(part, WellKnownTime.timestamp)
        case .duration: return try time(part, WellKnownTime.duration)
        case .fieldMask: return try fieldMask(part)
        case .struct: return try structure(part, depth: depth)
        case .value: return try dynamicValue(part, depth: depth)
        case .listValue: return try list(part, depth: depth)
        default: return try wrapper(type, part)
        }
    }

    private mutating func wrapper(
        _ type: WellKnownType, _ part: MessagePart
    ) throws(ProtobufError) -> JSONValue? {
        guard let kind = type.wrapped else { return nil }
        var field = FieldDescriptor()
        field.number = 1
        field.kind = kind
        var value = try defaultValue(of: field, depth: 0)
        for wire in try fields(part) {
            guard wire.number == 1, let scalar = try scalar(field, wire.value, part.bytes) else {
                return nil
            }
            value = scalar.json
        }
        return value
    }

    private mutating func time(
        _ part: MessagePart, _ text: (_ seconds: Int64, _ nanos: Int64) -> String?
    ) throws(ProtobufError) -> JSONValue? {
        var seconds: Int64 = 0
        var nanos: Int64 = 0
        for field in try fields(part) {
            guard case .varint(let value) = field.value else { return nil }
            switch field.number {
            case 1: seconds = Int64(bitPattern: value)
            case 2: nanos = Int64(Int32(truncatingIfNeeded: value))
            default: return nil
            }
        }
        return text(seconds, nanos).map(JSONValue.string)
    }

    private mutating func fieldMask(_ part: MessagePart) throws(ProtobufError) -> JSONValue? {
        var paths: [String] = []
        for field in try fields(part) {
            guard field.number == 1, case .bytes(let content) = field.value else { return nil }
            let path = String(decoding: part.bytes[content], as: UTF8.self)
            paths.append(JSONName.lowerCamelCase(path))
        }
        return .string(paths.joined(separator: ","))
    }

    // MARK: Values of JSON

    private mutating func structure(
        _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        var collected = CollectedField(FieldDescriptor())
        for field in try fields(part) {
            guard field.number == 1, case .bytes(let content) = field.value else { return nil }
            var key = ""
            var value = JSONValue.null
            for member in try fields(MessagePart(part.bytes, content)) {
                guard case .bytes(let content) = member.value else { return nil }
                switch member.number {
                case 1: key = String(decoding: part.bytes[content], as: UTF8.self)
                case 2:
                    let found = try nestedValue(MessagePart(part.bytes, content), depth: depth)
                    guard let found else { return nil }
                    value = found
                default: return nil
                }
            }
            collected.set(value, forKey: key)
        }
        return .members(Array(zip(collected.keys, collected.values)))
    }

    private mutating func list(
        _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        var values: [JSONValue] = []
        for field in try fields(part) {
            guard field.number == 1, case .bytes(let content) = field.value,
                let value = try nestedValue(MessagePart(part.bytes, content), depth: depth)
            else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private mutating func nestedValue(
        _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        try value(part, type: WellKnownType.value.rawValue, depth: depth &+ 1)
    }

    private mutating func dynamicValue(
        _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        var value = JSONValue.null
        for field in try fields(part) {
            switch (field.number, field.value) {
            case (1, .varint): value = .null
            case (2, .fixed64(let bits)): value = .floating(Double(bitPattern: bits))
            case (3, .bytes(let content)):
                value = .string(String(decoding: part.bytes[content], as: UTF8.self))
            case (4, .varint(let number)): value = .bool(number != 0)
            case (5, .bytes(let content)), (6, .bytes(let content)):
                let type: WellKnownType = field.number == 5 ? .struct : .listValue
                let found = try self.value(
                    MessagePart(part.bytes, content), type: type.rawValue, depth: depth &+ 1)
                guard let found else { return nil }
                value = found
            default: return nil
            }
        }
        return value
    }

    // MARK: Any

    /// The embedded message, with its members after `@type`; without a description, its fields in
    /// `@unknown`, or its bytes as `value`.
    private mutating func any(_ part: MessagePart, depth: Int) throws(ProtobufError) -> JSONValue? {
        var url = ""
        var content = 0..<0
        for field in try fields(part) {
            guard case .bytes(let bytes) = field.value else { return nil }
            switch field.number {
            case 1: url = String(decoding: part.bytes[bytes], as: UTF8.self)
            case 2: content = bytes
            default: return nil
            }
        }
        if url.isEmpty, content.isEmpty { return .object([]) }
        let type = url.split(separator: "/").last.map(String.init) ?? ""
        let typeMember = [("@type", JSONValue.string(url))]
        let message = MessagePart(part.bytes, content)
        guard let value = try nested(message, type: type, depth: depth) else {
            return .members(typeMember + (try unknown(message, depth: depth)))
        }
        if WellKnownType(rawValue: type) == nil, case .object(let members) = value {
            return .object(typeMember.map { JSONValue.Member(name: $0.0, value: $0.1) } + members)
        }
        return .members(typeMember + [("value", value)])
    }

    private mutating func unknown(
        _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> [(String, JSONValue)] {
        var reader = part.reader
        guard try reader.isMessage(&budget), depth &+ 1 < budget.depthMax else {
            return [("value", .string(Base64.text(Array(part.bytes[part.range]))))]
        }
        var elements: [JSONValue] = []
        for field in try fields(part) {
            elements.append(
                try FieldReadings.element(field, in: part.bytes, depth: depth &+ 1, &budget))
        }
        return [(MessageDecoder.unknownName, .array(elements))]
    }

    private mutating func fields(_ part: MessagePart) throws(ProtobufError) -> [WireField] {
        var reader = part.reader
        var fields: [WireField] = []
        while let field = try reader.next(&budget) {
            try budget.show(at: field.offset)
            fields.append(field)
        }
        return fields
    }
}

/// Message types with a special JSON form. They need no descriptor.
enum WellKnownType: String {
    case any = "google.protobuf.Any"
    case timestamp = "google.protobuf.Timestamp"
    case duration = "google.protobuf.Duration"
    case fieldMask = "google.protobuf.FieldMask"
    case `struct` = "google.protobuf.Struct"
    case value = "google.protobuf.Value"
    case listValue = "google.protobuf.ListValue"
    case doubleValue = "google.protobuf.DoubleValue"
    case floatValue = "google.protobuf.FloatValue"
    case int64Value = "google.protobuf.Int64Value"
    case uint64Value = "google.protobuf.UInt64Value"
    case int32Value = "google.protobuf.Int32Value"
    case uint32Value = "google.protobuf.UInt32Value"
    case boolValue = "google.protobuf.BoolValue"
    case stringValue = "google.protobuf.StringValue"
    case bytesValue = "google.protobuf.BytesValue"

    /// The type of the `value` field of a wrapper; nil for other types.
    var wrapped: FieldDescriptor.Kind? {
        switch self {
        case .doubleValue: .double
        case .floatValue: .float
        case .int64Value: .int64
        case .uint64Value: .uint64
        case .int32Value: .int32
        case .uint32Value: .uint32
        case .boolValue: .bool
        case .stringValue: .string
        case .bytesValue: .bytes
        case .any, .timestamp, .duration, .fieldMask, .struct, .value, .listValue: nil
        }
    }
}

/// Formats timestamps and durations as in ProtoJSON.
enum WellKnownTime {
    /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let timestamps: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// 10,000 years in either direction.
    private static let durations: ClosedRange<Int64> = -315_576_000_000...315_576_000_000

    /// `1972-01-01T10:00:20.021Z`; nil if it is out of range.
    static func timestamp(seconds: Int64, nanos: Int64) -> String? {
        guard timestamps.contains(seconds), (0...999_999_999).contains(nanos) else { return nil }
        return "\(CivilTime(secondsSinceEpoch: seconds))\(fraction(nanos))Z"
    }

    /// `1.000340012s`; nil if it is out of range, or its parts have different signs.
    static func duration(seconds: Int64, nanos: Int64) -> String? {
        guard durations.contains(seconds), (-999_999_999...999_999_999).contains(nanos),
            seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
        else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(fraction(Int64(nanos.magnitude)))s"
    }

    /// Three, six or nine digits after a point; empty for 0.
    private static func fraction(_ nanos: Int64) -> String {
        if nanos == 0 { return "" }
        if nanos % 1_000_000 == 0 { return "." + (nanos / 1_000_000).zeroPadded(to: 3) }
        if nanos % 1_000 == 0 { return "." + (nanos / 1_000).zeroPadded(to: 6) }
        return "." + nanos.zeroPadded(to: 9)
    }
}

enum JSONName {
    /// Converts `foo_bar` to `fooBar`, as `protoc` does for a field without `json_name`.
    static func lowerCamelCase(_ name: some StringProtocol) -> String {
        var text = String.UnicodeScalarView()
        var isUppercased = false
        for scalar in name.unicodeScalars {
            if scalar == "_" {
                isUppercased = true
            } else {
                text.append(isUppercased ? uppercased(scalar) : scalar)
                isUppercased = false
            }
        }
        return String(text)
    }

    private static func uppercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) &- 32) : scalar
    }
}
