internal import ProxydProtobuf

/// A description with every kind of field, made here: each kind once alone, once repeated, within a
/// message that holds itself, a map, a oneof, and all well-known types.
enum SelfDescription {
    static let registry: DescriptorRegistry = {
        guard let file = try? FileDescriptor(bytes: bytes) else { return DescriptorRegistry() }
        return DescriptorRegistry([file])
    }()

    private static let wellKnown = [
        "Any", "Timestamp", "Duration", "FieldMask", "Struct", "Value", "ListValue", "DoubleValue",
        "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue",
        "StringValue", "BytesValue",
    ]
    static let types = ["f.M"] + wellKnown.map { "google.protobuf.\($0)" }

    private static let bytes: [UInt8] = {
        var fields: [[UInt8]] = []
        for kind in UInt64(1)...18 {
            let type = kind == 10 || kind == 11 ? ".f.M" : kind == 14 ? ".f.E" : ""
            fields.append(field("a\(kind)", kind, kind, type, label: 1))
            fields.append(field("b\(kind)", kind + 20, kind, type, label: 3))
            fields.append(field("c\(kind)", kind + 40, kind, type, label: 1) + number(9, 0))
        }
        for (index, name) in wellKnown.enumerated() {
            let type = ".google.protobuf.\(name)"
            fields.append(field("w\(index)", UInt64(index) + 60, 11, type, label: 1))
            fields.append(field("x\(index)", UInt64(index) + 80, 11, type, label: 3))
        }
        fields.append(field("map", 100, 11, ".f.Entry", label: 3))
        let entry = [field("key", 1, 5, "", label: 1), field("value", 2, 11, ".f.M", label: 1)]
        let values = [("ZERO", UInt64(0)), ("ONE", 1)].flatMap { name, value in
            bytes(2, text(1, name) + number(2, value))
        }
        return text(1, "f") + text(2, "f") + message("M", fields)
            + message("Entry", entry, bytes(7, number(7, 1)))
            + bytes(5, text(1, "E") + values) + text(12, "proto3")
    }()

    private static func message(_ name: String, _ fields: [[UInt8]], _ more: [UInt8] = [])
        -> [UInt8]
    {
        bytes(4, text(1, name) + fields.flatMap { bytes(2, $0) } + more)
    }

    private static func field(
        _ name: String, _ place: UInt64, _ kind: UInt64, _ type: String, label: UInt64
    ) -> [UInt8] {
        text(1, name) + number(3, place) + number(4, label) + number(5, kind)
            + (type.isEmpty ? [] : text(6, type))
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest)]
    }

    private static func number(_ place: UInt64, _ value: UInt64) -> [UInt8] {
        varint(place << 3) + varint(value)
    }

    private static func bytes(_ place: UInt64, _ content: [UInt8]) -> [UInt8] {
        varint(place << 3 | 2) + varint(UInt64(content.count)) + content
    }

    private static func text(_ place: UInt64, _ content: String) -> [UInt8] {
        bytes(place, Array(content.utf8))
    }
}
