import ProxydParameterCoding
import ProxydProtobuf
import Testing

/// Messages that a description exists of. What the JSON mapping says is the oracle's part; here is
/// what it does not say.
struct MessageDecoderTests {
    private static let file = Description.file(
        "test.proto", package: "t",
        Description.message(
            "M",
            [
                Description.field("number", 1, .int32),
                Description.field("text", 2, .string),
                Description.field("self", 3, .message, of: ".t.M"),
                Description.field("list_of", 4, .sint32, isRepeated: true),
                Description.field("map", 5, .message, of: ".t.M.MapEntry", isRepeated: true),
                Description.field("left", 6, .int32, oneof: 0),
                Description.field("right", 7, .message, of: ".t.M", oneof: 0),
                Description.field("colour", 8, .enum, of: ".t.Colour"),
                Description.field("any", 9, .message, of: ".google.protobuf.Any"),
                Description.field("time", 10, .message, of: ".google.protobuf.Timestamp"),
                Description.field("foreign", 11, .message, of: ".other.Thing"),
                Description.field("group", 12, .group, of: ".t.M"),
            ],
            Wire.bytes(
                3,
                Description.message(
                    named: "MapEntry",
                    [
                        Description.field("key", 1, .string),
                        Description.field("value", 2, .message, of: ".t.M"),
                    ], Wire.bytes(7, Wire.number(7, 1)))))
            + Wire.bytes(
                5,
                Wire.text(1, "Colour")
                    + Wire.bytes(2, Wire.text(1, "RED") + Wire.number(2, 0))
                    + Wire.bytes(2, Wire.text(1, "BLUE") + Wire.number(2, 4)))
            + Wire.bytes(
                7,
                Description.field("notes", 100, .string, isRepeated: true)
                    + Wire.text(2, ".t.M")))

    private func decoded(_ bytes: [UInt8], type: String = "t.M") throws -> DecodedMessage {
        let decoder = MessageDecoder(try Description.registry(MessageDecoderTests.file))
        return try #require(try decoder.message(bytes, type: type))
    }

    private func text(_ bytes: [UInt8]) throws -> String {
        let decoded = try decoded(bytes)
        #expect(decoded.problem == nil)
        return decoded.json.text
    }

    @Test func `the fields of a decoded Protobuf message are in the order of their numbers`() throws
    {
        let bytes =
            Wire.text(2, "b") + Wire.bytes(4, [1, 2, 3]) + Wire.number(1, 5)
            + Wire.number(4, 8)
        #expect(try text(bytes) == #"{"number":5,"text":"b","listOf":[-1,1,-2,4]}"#)
    }

    @Test func `fields missing from the message descriptor are shown as unknown fields`() throws {
        let bytes = Wire.number(99, 1) + Wire.number(1, 5)
        #expect(
            try text(bytes)
                == #"{"number":5,"@unknown":"#
                + #"[{"number":99,"wire":"varint","uint":1,"int":1,"sint":-1,"bool":true}]}"#)
    }

    @Test(arguments: [
        Wire.text(1, "x"), Wire.number(2, 1), Wire.fixed32(3, 1), Wire.bytes(3, [0x08]),
        Wire.bytes(4, [0x80]), Wire.fixed64(4, 1), Wire.bytes(5, [0x0A, 0x09]),
        Wire.bytes(5, Wire.bytes(2, [0x0F])), Wire.text(6, "x"), Wire.bytes(11, Wire.number(1, 1)),
        Wire.bytes(12, [0x0C]),
    ])
    func `a value that does not match its field descriptor is shown as an unknown field`(
        bytes: [UInt8]
    ) throws {
        let json = try decoded(bytes + Wire.fixed32(98, 1)).json
        guard case .array(let unknown)? = json["@unknown"] else {
            Issue.record("nothing unknown in \(json.text)")
            return
        }
        #expect(unknown.count == 2)
        #expect(unknown.contains { $0["number"] == .number("98") })
    }

    @Test func `a truncated Protobuf message is decoded up to the truncated field`() throws {
        let whole = Wire.number(1, 5) + Wire.text(2, "text")
        for cut in 3..<whole.count {
            let decoded = try decoded(Array(whole[..<cut]))
            #expect(decoded.json.text == #"{"number":5}"# || cut == 2, "\(cut)")
            #expect(decoded.problem?.kind == .truncated, "\(cut)")
        }
    }

    @Test
    func `the last field of a oneof wins, and repeated occurrences of a message in it are merged`()
        throws
    {
        #expect(
            try text(Wire.bytes(7, Wire.number(1, 1)) + Wire.number(6, 0)) == #"{"left":0}"#)
        let parts =
            Wire.number(6, 3) + Wire.bytes(7, Wire.number(1, 1))
            + Wire.bytes(7, Wire.text(2, "b"))
        #expect(try text(parts) == #"{"right":{"number":1,"text":"b"}}"#)
    }

    @Test func `a Protobuf map entry without a key or value gets the default key or value`() throws
    {
        let entries =
            Wire.bytes(5, Wire.text(1, "a") + Wire.bytes(2, Wire.number(1, 1)))
            + Wire.bytes(5, []) + Wire.bytes(5, Wire.text(1, "a"))
        #expect(try text(entries) == #"{"map":{"a":{},"":{}}}"#)
    }

    @Test func `an enum value without a name in the descriptor is shown as a number`() throws {
        #expect(try text(Wire.number(8, 4)) == #"{"colour":"BLUE"}"#)
        #expect(try text(Wire.number(8, 9)) == #"{"colour":9}"#)
        #expect(try text(Wire.number(8, 0)) == "{}")
    }

    @Test func `Protobuf extensions are shown with their full names`() throws {
        #expect(
            try text(Wire.text(100, "x") + Wire.text(100, "y"))
                == #"{"[t.notes]":["x","y"]}"#)
    }

    @Test func `a Protobuf string that is not UTF-8 is shown with replacement characters`() throws {
        #expect(try text(Wire.bytes(2, [0x61, 0xFF])) == "{\"text\":\"a\u{FFFD}\"}")
    }

    @Test func `well-known Protobuf types are decoded without a descriptor`() throws {
        let time = Wire.bytes(10, Wire.number(1, 951_782_400) + Wire.number(2, 5_000_000))
        #expect(try text(time) == #"{"time":"2000-02-29T00:00:00.005Z"}"#)
        let empty = MessageDecoder(DescriptorRegistry())
        let duration = try empty.message(
            Wire.number(1, 3), type: "google.protobuf.Duration")
        #expect(duration?.json == .string("3s"))
        #expect(try empty.message([], type: "t.M") == nil)
    }

    @Test(arguments: [
        Wire.number(1, 253_402_300_800), Wire.number(2, 1_000_000_000),
        Wire.number(1, .max) + Wire.number(2, .max), Wire.number(3, 1), Wire.text(1, "x"),
        Wire.number(1, 1 << 63),
    ])
    func `a Timestamp that is malformed or out of range is shown as an unknown field`(time: [UInt8])
        throws
    {
        let json = try decoded(Wire.bytes(10, time)).json
        #expect(json["time"] == nil)
        #expect(json["@unknown"] != nil)
    }

    @Test
    func `an Any is decoded by its type, and its raw fields are shown if the type is unknown`()
        throws
    {
        let any = Wire.text(1, "type.googleapis.com/other.Thing") + Wire.bytes(2, Wire.text(1, "x"))
        #expect(
            try text(Wire.bytes(9, any))
                == #"{"any":{"@type":"type.googleapis.com/other.Thing","@unknown":"#
                + #"[{"number":1,"wire":"bytes","bytes":1,"text":"x"}]}}"#)
        let bytes = Wire.text(1, "x/other.Thing") + Wire.bytes(2, [0xFF])
        #expect(
            try text(Wire.bytes(9, bytes))
                == #"{"any":{"@type":"x/other.Thing","value":"/w=="}}"#)
        let known = Wire.text(1, "x/t.M") + Wire.bytes(2, Wire.number(1, 2))
        #expect(try text(Wire.bytes(9, known)) == #"{"any":{"@type":"x/t.M","number":2}}"#)
        let moment = Wire.text(1, "x/google.protobuf.Duration") + Wire.bytes(2, Wire.number(1, 2))
        #expect(
            try text(Wire.bytes(9, moment))
                == #"{"any":{"@type":"x/google.protobuf.Duration","value":"2s"}}"#)
    }

    // MARK: Hostile

    @Test func `nested Protobuf messages with a descriptor are decoded down to level 100`() throws {
        let bytes = Wire.nested(10_000, Wire.number(1, 1), in: 3)
        var value = try decoded(bytes).json
        var depth = 0
        while let inner = value["self"] {
            value = inner
            depth += 1
        }
        #expect(depth == 99)
        #expect(value["@unknown"] != nil)
    }

    @Test(arguments: [
        "google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue",
        "google.protobuf.Any",
    ])
    func `deeply nested well-known Protobuf types do not crash the decoder`(type: String) throws {
        let decoder = MessageDecoder(DescriptorRegistry())
        // Lists of lists, objects of objects, messages of any type: deeper than is read.
        for (number, fields) in [(1, []), (6, []), (2, Wire.text(1, "x/" + type))] {
            let bytes = Wire.nested(10_000, in: UInt64(number), behind: fields)
            let decoded = try decoder.message(bytes, type: type)
            #expect(decoded == nil || decoded?.json != .null)
        }
    }

    @Test func `a Protobuf message with more values than the limit throws an error`() throws {
        let registry = try Description.registry(MessageDecoderTests.file)
        let decoder = MessageDecoder(registry, limits: ProtobufLimits(valueCountMax: 1_000))
        let packed = Wire.bytes(4, [UInt8](repeating: 1, count: 1_001))
        #expect(throws: ProtobufError.self) { try decoder.message(packed, type: "t.M") }
        #expect(throws: ProtobufError.self) {
            try decoder.message(Wire.bytes(3, packed), type: "t.M")
        }
    }

    @Test func `decoding a randomly corrupted Protobuf message never throws`() throws {
        var random = SmallGenerator(state: 20)
        let decoder = MessageDecoder(try Description.registry(MessageDecoderTests.file))
        let seed =
            Wire.nested(3, Wire.number(1, 1)) + Wire.bytes(5, Wire.text(1, "k"))
            + Wire.bytes(9, Wire.text(1, "x/t.M")) + Wire.bytes(10, Wire.number(1, 1))
            + Wire.group(12, Wire.text(2, "g")) + Wire.bytes(4, [1, 2, 3])
        for _ in 0..<2_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let decoded = try decoder.message(bytes, type: "t.M")
            #expect(decoded != nil)
        }
    }
}

/// A small generator of random numbers that repeats itself from the same state.
struct SmallGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
    }
}
