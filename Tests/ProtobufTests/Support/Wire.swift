import ProxydProtobuf

/// Bytes of messages, field by field.
enum Wire {
    static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func tag(_ number: UInt64, _ type: UInt64) -> [UInt8] { varint(number << 3 | type) }

    static func number(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        tag(number, 0) + varint(value)
    }

    static func bytes(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(number, 2) + varint(UInt64(content.count)) + content
    }

    static func text(_ number: UInt64, _ text: String) -> [UInt8] {
        bytes(number, Array(text.utf8))
    }

    static func fixed32(_ number: UInt64, _ bits: UInt32) -> [UInt8] {
        tag(number, 5) + (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    static func fixed64(_ number: UInt64, _ bits: UInt64) -> [UInt8] {
        tag(number, 1) + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    static func group(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(number, 3) + content + tag(number, 4)
    }

    /// Messages in a field of each other, each behind some other fields. It is made from its end,
    /// as copying what is inside would take long.
    static func nested(
        _ depth: Int, _ innermost: [UInt8] = [], in number: UInt64 = 1, behind fields: [UInt8] = []
    ) -> [UInt8] {
        var bytes = Array(innermost.reversed())
        for _ in 0..<depth {
            bytes += varint(UInt64(bytes.count)).reversed()
            bytes += tag(number, 2).reversed()
            bytes += fields.reversed()
        }
        return bytes.reversed()
    }
}

/// Descriptions of files, written by hand: `google.protobuf.FileDescriptorProto` and its parts.
enum Description {
    static func file(
        _ name: String, package: String = "", syntax: String = "proto3", _ parts: [UInt8] = []
    ) -> [UInt8] {
        Wire.text(1, name) + Wire.text(2, package) + parts + Wire.text(12, syntax)
    }

    /// A message of a file.
    static func message(_ name: String, _ fields: [[UInt8]], _ more: [UInt8] = []) -> [UInt8] {
        Wire.bytes(4, message(named: name, fields, more))
    }

    static func message(
        named name: String, _ fields: [[UInt8]], _ more: [UInt8] = []
    ) -> [UInt8] {
        Wire.text(1, name) + fields.flatMap { Wire.bytes(2, $0) } + more
    }

    static func field(
        _ name: String, _ number: UInt64, _ kind: FieldDescriptor.Kind, of type: String = "",
        isRepeated: Bool = false, oneof: UInt64? = nil, _ more: [UInt8] = []
    ) -> [UInt8] {
        Wire.text(1, name) + Wire.number(3, number) + Wire.number(4, isRepeated ? 3 : 1)
            + Wire.number(5, kind.rawValue) + (type.isEmpty ? [] : Wire.text(6, type))
            + (oneof.map { Wire.number(9, $0) } ?? []) + more
    }

    static func registry(_ files: [UInt8]...) throws -> DescriptorRegistry {
        DescriptorRegistry(try files.map(FileDescriptor.init))
    }
}
