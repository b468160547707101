import ProxydProtobuf

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
