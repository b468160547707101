import ProxydParameterCoding
import ProxydProtobuf
import Testing

/// Maps, and names that only look the same.
struct MapTests {
    private func json(_ key: FieldDescriptor.Kind, _ entries: [UInt8]...) throws -> String {
        let entry = Wire.bytes(
            3,
            Description.message(
                named: "E",
                [Description.field("key", 1, key), Description.field("value", 2, .int32)],
                Wire.bytes(7, Wire.number(7, 1))))
        let field = Description.field("m", 1, .message, of: ".p.M.E", isRepeated: true)
        let file = Description.file("f", package: "p", Description.message("M", [field], entry))
        let decoder = MessageDecoder(try Description.registry(file))
        let bytes = entries.flatMap { Wire.bytes(1, $0) }
        return try #require(try decoder.message(bytes, type: "p.M")).json.text
    }

    @Test(
        arguments: [
            (FieldDescriptor.Kind.bool, Wire.number(1, 1), "true"), (.bool, [], "false"),
            (.int64, Wire.number(1, .max), "-1"), (.sint32, Wire.number(1, 3), "-2"),
            (.fixed64, Wire.fixed64(1, .max), "18446744073709551615"), (.uint32, [], "0"),
            (.string, [], ""), (.string, Wire.text(1, "a.b"), "a.b"),
        ] as [(FieldDescriptor.Kind, [UInt8], String)])
    func `a Protobuf map key of any type becomes a string in JSON`(
        _ kind: FieldDescriptor.Kind, _ key: [UInt8], _ wanted: String
    ) throws {
        #expect(try json(kind, key + Wire.number(2, 7)) == #"{"m":{"\#(wanted)":7}}"#)
    }

    @Test
    func `the last value of a repeated Protobuf map key is shown at the position of the first`()
        throws
    {
        #expect(
            try json(
                .string, Wire.text(1, "a") + Wire.number(2, 1), Wire.text(1, "b"),
                Wire.number(2, 3) + Wire.text(1, "a")) == #"{"m":{"a":3,"b":0}}"#)
    }

    @Test func `Protobuf map keys with different bytes are kept apart even if they look the same`()
        throws
    {
        let text = try json(
            .string, Wire.text(1, "\u{E9}") + Wire.number(2, 1),
            Wire.text(1, "e\u{301}") + Wire.number(2, 2))
        #expect(
            text.unicodeScalars.elementsEqual(#"{"m":{"\#u{E9}":1,"e\#u{301}":2}}"#.unicodeScalars))
    }

    @Test
    func `Protobuf Struct names with different bytes are kept apart even if they look the same`()
        throws
    {
        let member = { (name: String, flag: UInt64) in
            Wire.bytes(1, Wire.text(1, name) + Wire.bytes(2, Wire.number(4, flag)))
        }
        let decoder = MessageDecoder(DescriptorRegistry())
        let bytes = member("\u{E9}", 1) + member("e\u{301}", 0) + member("\u{E9}", 0)
        let decoded = try decoder.message(bytes, type: "google.protobuf.Struct")
        guard case .object(let members)? = decoded?.json else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.value) == [.bool(false), .bool(false)])
        #expect(members.map { $0.name.unicodeScalars.count } == [1, 2])
    }

    @Test
    func `a Protobuf map entry with an extra or malformed field is shown as an unknown field`()
        throws
    {
        let text = try json(.string, Wire.text(1, "a") + Wire.number(3, 1))
        #expect(text.hasPrefix(#"{"@unknown":[{"number":1,"#))
        #expect(try json(.string, Wire.number(1, 1)).hasPrefix(#"{"@unknown":"#))
        #expect(try json(.string, [0x0A, 0x05]).hasPrefix(#"{"@unknown":"#))
    }

    @Test(
        arguments: [
            ("google.protobuf.Duration", Wire.number(1, 1) + Wire.number(2, 500_000_000), "1.500s"),
            ("google.protobuf.Duration", Wire.number(2, UInt64(bitPattern: -1)), "-0.000000001s"),
            ("google.protobuf.Duration", Wire.number(1, 315_576_000_000), "315576000000s"),
            ("google.protobuf.Duration", [], "0s"),
            ("google.protobuf.Timestamp", [], "1970-01-01T00:00:00Z"),
            ("google.protobuf.Timestamp", Wire.number(1, 253_402_300_799), "9999-12-31T23:59:59Z"),
            (
                "google.protobuf.Timestamp", Wire.number(1, UInt64(bitPattern: -62_135_596_800)),
                "0001-01-01T00:00:00Z"
            ),
            ("google.protobuf.Timestamp", Wire.number(2, 1_000), "1970-01-01T00:00:00.000001Z"),
            (
                "google.protobuf.FieldMask", Wire.text(1, "a_b.c") + Wire.text(1, "d"), "aB.c,d"
            ),
            ("google.protobuf.FieldMask", [], ""), ("google.protobuf.StringValue", [], ""),
            ("google.protobuf.Int64Value", Wire.number(1, .max), "-1"),
            ("google.protobuf.BytesValue", Wire.bytes(1, [0xFF]), "/w=="),
            ("google.protobuf.Value", Wire.fixed64(2, 0x7FF8_0000_0000_0000), "NaN"),
        ] as [(String, [UInt8], String)])
    func `well-known Protobuf types such as Duration and Timestamp are decoded as JSON strings`(
        _ type: String, _ bytes: [UInt8], _ wanted: String
    ) throws {
        let decoded = try MessageDecoder(DescriptorRegistry()).message(bytes, type: type)
        #expect(decoded?.json == .string(wanted))
    }

    @Test(
        arguments: [
            ("google.protobuf.Duration", Wire.number(1, 315_576_000_001)),
            (
                "google.protobuf.Duration",
                Wire.number(1, 1) + Wire.number(2, UInt64(bitPattern: -1))
            ),
            ("google.protobuf.Timestamp", Wire.number(2, 1_000_000_000)),
            ("google.protobuf.Timestamp", Wire.number(1, 253_402_300_800)),
            ("google.protobuf.Timestamp", Wire.number(3, 1)),
            ("google.protobuf.BoolValue", Wire.text(1, "a")), ("google.protobuf.Empty", []),
            ("google.protobuf.ListValue", Wire.number(1, 1)), ("google.protobuf.Value", [0x0A]),
        ] as [(String, [UInt8])])
    func `without a descriptor, bytes that do not form a supported well-known type are not decoded`(
        _ type: String, _ bytes: [UInt8]
    ) throws {
        #expect(try MessageDecoder(DescriptorRegistry()).message(bytes, type: type) == nil)
    }
}
