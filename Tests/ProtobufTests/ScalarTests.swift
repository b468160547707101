import ProxydParameterCoding
import ProxydProtobuf
import Testing

/// Each type of a field by the JSON mapping, at the ends of its range, and what has another type.
struct ScalarTests {
    private typealias Kind = FieldDescriptor.Kind

    /// The JSON of a message whose field 1 has a type.
    private func json(
        _ kind: FieldDescriptor.Kind, _ bytes: [UInt8], of type: String = "",
        isRepeated: Bool = false, syntax: String = "proto3"
    ) throws -> String {
        let field = Description.field("f", 1, kind, of: type, isRepeated: isRepeated)
        let values = [("ZERO", 0), ("ONE", 1), ("UNO", 1), ("LAST", UInt64(UInt32.max))]
        let list = Wire.bytes(
            5,
            Wire.text(1, "E")
                + values.flatMap { Wire.bytes(2, Wire.text(1, $0.0) + Wire.number(2, $0.1)) })
        let file = Description.file(
            "f", package: "p", syntax: syntax, Description.message("M", [field]) + list)
        let decoder = MessageDecoder(try Description.registry(file))
        return try #require(try decoder.message(bytes, type: "p.M")).json.text
    }

    @Test(
        arguments: [
            (Kind.int32, UInt64(5), "5"), (.int32, .max, "-1"), (.int32, 1 << 31, "-2147483648"),
            // Bits beyond the type's are dropped, as other implementations do.
            (.int32, 1 << 32 | 7, "7"), (.uint32, 1 << 33 | 7, "7"), (.uint32, .max, "4294967295"),
            (.sint32, 1, "-1"), (.sint32, 2, "1"), (.sint32, 0xFFFF_FFFF, "-2147483648"),
            (.sint32, 0xFFFF_FFFE, "2147483647"), (.int64, .max, "\"-1\""),
            (.int64, 1 << 63, "\"-9223372036854775808\""),
            (.uint64, .max, "\"18446744073709551615\""),
            (.sint64, .max, "\"-9223372036854775808\""),
            (.sint64, .max - 1, "\"9223372036854775807\""), (.bool, 1, "true"),
            (.bool, 1 << 63, "true"),
            (.bool, 300, "true"),
        ] as [(FieldDescriptor.Kind, UInt64, String)])
    func `a varint is decoded as the integer or boolean type of its field`(
        _ kind: FieldDescriptor.Kind, _ value: UInt64, _ wanted: String
    ) throws {
        #expect(try json(kind, Wire.number(1, value)) == "{\"f\":\(wanted)}")
    }

    @Test(
        arguments: [
            (Kind.fixed32, UInt32.max, "4294967295"), (.sfixed32, .max, "-1"),
            (.sfixed32, 1 << 31, "-2147483648"), (.float, 0x3F80_0000, "1"),
            (.float, 0x7F80_0000, "\"Infinity\""), (.float, 0xFF80_0000, "\"-Infinity\""),
            (.float, 0x7FC0_0001, "\"NaN\""), (.float, 0x8000_0000, "-0"),
            (.float, 0x3DCC_CCCD, "0.1"), (.float, 1, "1e-45"),
            (.float, 0x7F7F_FFFF, "3.4028235e+38"),
        ] as [(FieldDescriptor.Kind, UInt32, String)])
    func `a 32-bit value is decoded as the integer or float type of its field`(
        _ kind: FieldDescriptor.Kind, _ bits: UInt32, _ wanted: String
    ) throws {
        #expect(try json(kind, Wire.fixed32(1, bits)) == "{\"f\":\(wanted)}")
    }

    @Test(
        arguments: [
            (Kind.fixed64, UInt64.max, "\"18446744073709551615\""), (.sfixed64, .max, "\"-1\""),
            (.sfixed64, 1 << 63, "\"-9223372036854775808\""), (.double, 0x3FF0_0000_0000_0000, "1"),
            (.double, 0x3FB9_9999_9999_999A, "0.1"), (.double, 1, "5e-324"),
            (.double, 0xFFF0_0000_0000_0000, "\"-Infinity\""),
            (.double, 0x7FF8_0000_0000_0000, "\"NaN\""),
            (.double, 0x4341_C379_37E0_8000, "1e+16"),
        ] as [(FieldDescriptor.Kind, UInt64, String)])
    func `a 64-bit value is decoded as the integer or double type of its field`(
        _ kind: FieldDescriptor.Kind, _ bits: UInt64, _ wanted: String
    ) throws {
        #expect(try json(kind, Wire.fixed64(1, bits)) == "{\"f\":\(wanted)}")
    }

    @Test(
        arguments: [
            (0, "{}"), (1, #"{"f":"ONE"}"#), (7, #"{"f":7}"#),
            (UInt64(UInt32.max), #"{"f":"LAST"}"#),
            (.max, #"{"f":"LAST"}"#), (UInt64(UInt32.max) - 1, #"{"f":-2}"#),
        ] as [(UInt64, String)])
    func `an enum value is shown by the first name defined for it, or as a number if it has none`(
        _ value: UInt64, _ wanted: String
    ) throws {
        #expect(try json(.enum, Wire.number(1, value), of: ".p.E") == wanted)
    }

    @Test func `a Protobuf NullValue is shown as null, and value 0 of an unknown enum as 0`()
        throws
    {
        let bytes = Wire.number(1, 0)
        #expect(
            try json(.enum, bytes, of: ".google.protobuf.NullValue", syntax: "proto2")
                == #"{"f":null}"#)
        #expect(try json(.enum, bytes, of: ".p.Unknown", syntax: "proto2") == #"{"f":0}"#)
    }

    @Test(
        arguments: [
            (Kind.int32, Wire.number(1, 0)), (.bool, Wire.number(1, 0)),
            (.string, Wire.text(1, "")),
            (.bytes, Wire.bytes(1, [])), (.double, Wire.fixed64(1, 0)),
            (.fixed32, Wire.fixed32(1, 0)),
            (.int64, Wire.number(1, 5) + Wire.number(1, 0)),
        ] as [(FieldDescriptor.Kind, [UInt8])])
    func `a field encoded with its default value is shown in proto2 messages but not in proto3`(
        _ kind: FieldDescriptor.Kind, _ bytes: [UInt8]
    ) throws {
        #expect(try json(kind, bytes) == "{}")
        #expect(try json(kind, bytes, syntax: "proto2").hasPrefix("{\"f\":"))
    }

    @Test func `negative zero in a Protobuf field is not treated as the default value`() throws {
        #expect(try json(.double, Wire.fixed64(1, 1 << 63)) == #"{"f":-0}"#)
    }

    @Test(
        arguments: [
            (Kind.int32, Wire.fixed32(1, 5)), (.fixed32, Wire.number(1, 5)),
            (.fixed64, Wire.fixed32(1, 5)), (.double, Wire.number(1, 5)),
            (.string, Wire.number(1, 5)),
            (.bool, Wire.fixed64(1, 5)), (.bytes, Wire.group(1, [])), (.float, Wire.fixed64(1, 5)),
            (.int32, Wire.bytes(1, [5])),
        ] as [(FieldDescriptor.Kind, [UInt8])])
    func `a value of the wrong Protobuf wire type is shown as an unknown field`(
        _ kind: FieldDescriptor.Kind, _ bytes: [UInt8]
    ) throws {
        let text = try json(kind, bytes)
        #expect(text.hasPrefix(#"{"@unknown":[{"number":1,"#), "\(text)")
    }

    @Test(
        arguments: [
            (Kind.int32, Wire.bytes(1, [1, 0x80, 0x01]) + Wire.number(1, 3), "[1,128,3]"),
            (.bool, Wire.bytes(1, [0, 1, 2]), "[false,true,true]"),
            (.fixed32, Wire.bytes(1, [1, 0, 0, 0, 2, 0, 0, 0]), "[1,2]"),
            (.double, Wire.bytes(1, [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]), "[1]"),
            (.string, Wire.text(1, "a") + Wire.text(1, ""), #"["a",""]"#),
            (.bytes, Wire.bytes(1, [0xFF]) + Wire.bytes(1, []), #"["/w==",""]"#),
            (.enum, Wire.bytes(1, [0, 1, 9]), #"["ZERO","ONE",9]"#),
        ] as [(FieldDescriptor.Kind, [UInt8], String)])
    func `a repeated Protobuf field can be packed, unpacked or both`(
        _ kind: FieldDescriptor.Kind, _ bytes: [UInt8], _ wanted: String
    ) throws {
        #expect(try json(kind, bytes, of: ".p.E", isRepeated: true) == "{\"f\":\(wanted)}")
    }

    @Test(
        arguments: [
            (Kind.int32, [0x80]), (.fixed32, [1, 2, 3]), (.double, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (.uint64, [UInt8](repeating: 0x80, count: 10) + [1]),
        ] as [(FieldDescriptor.Kind, [UInt8])])
    func `a packed Protobuf field that ends within a value is shown as bytes`(
        _ kind: FieldDescriptor.Kind, _ content: [UInt8]
    ) throws {
        let text = try json(kind, Wire.number(1, 7) + Wire.bytes(1, content), isRepeated: true)
        #expect(text.contains(#"{"number":1,"wire":"bytes","bytes":\#(content.count)"#))
    }

    @Test func `an empty packed Protobuf field yields no value`() throws {
        #expect(try json(.int32, Wire.bytes(1, []), isRepeated: true) == "{}")
    }
}
