import ProxydParameterCoding
import ProxydProtobuf
import Testing

/// Messages that nothing describes: fields by number, each with the readings that fit.
struct FieldReadingsTests {
    private func text(_ bytes: [UInt8]) -> String { FieldReadings.json(of: bytes).text }

    @Test(
        arguments: [
            (0, #""uint":0,"int":0,"sint":0,"bool":false"#),
            (1, #""uint":1,"int":1,"sint":-1,"bool":true"#),
            (150, #""uint":150,"int":150,"sint":75"#),
            (
                .max,
                #""uint":18446744073709551615,"int":-1,"sint":-9223372036854775808"#
            ),
            (.max - 1, #""uint":18446744073709551614,"int":-2,"sint":9223372036854775807"#),
        ] as [(UInt64, String)])
    func `a varint without a descriptor is shown as every integer type, and 0 and 1 also as bool`(
        value: UInt64, readings: String
    ) {
        #expect(text(Wire.number(7, value)) == #"[{"number":7,"wire":"varint",\#(readings)}]"#)
    }

    @Test func `fixed-size numbers without a descriptor are shown as integers and floating point`()
    {
        #expect(
            text(Wire.fixed32(1, 0xC020_0000))
                == #"[{"number":1,"wire":"fixed32","uint":3223322624,"int":-1071644672,"#
                + #""float":-2.5}]"#)
        #expect(
            text(Wire.fixed64(536_870_911, 0x7FF0_0000_0000_0000))
                == #"[{"number":536870911,"wire":"fixed64","uint":9218868437227405312,"#
                + #""int":9218868437227405312,"double":"Infinity"}]"#)
    }

    @Test func `bytes without a descriptor are shown as text, a message, packed numbers or base64`()
    {
        #expect(
            text(Wire.text(1, "grüße\n"))
                == #"[{"number":1,"wire":"bytes","bytes":8,"text":"grüße\n"}]"#)
        #expect(text(Wire.bytes(1, [])) == #"[{"number":1,"wire":"bytes","bytes":0,"text":""}]"#)
        let inner = Wire.bytes(1, Wire.number(2, 300) + Wire.text(3, "x"))
        #expect(
            text(inner)
                == #"[{"number":1,"wire":"bytes","bytes":6,"message":"#
                + #"[{"number":2,"wire":"varint","uint":300,"int":300,"sint":150},"#
                + #"{"number":3,"wire":"bytes","bytes":1,"text":"x"}],"#
                + #""packed":{"uint":[16,300,26,1,120]}}]"#)
        #expect(
            text(Wire.bytes(1, [0xFF, 0xFE]))
                == #"[{"number":1,"wire":"bytes","bytes":2,"base64":"//4="}]"#)
        #expect(
            text(Wire.bytes(1, [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0]))
                == #"[{"number":1,"wire":"bytes","bytes":8,"#
                + #""packed":{"float":[1,-2],"double":[-2.000000473111868]},"#
                + #""base64":"AACAPwAAAMA="}]"#)
    }

    @Test
    func `bytes without a descriptor that are both text and a valid message are shown as both`() {
        let printable = Wire.text(1, "(A0B")
        #expect(text(printable).contains(#""text":"(A0B""#))
        #expect(text(printable).contains(#""message":[{"number":5"#))
    }

    @Test func `fields without a descriptor keep their order, and groups are shown as messages`() {
        let group = Wire.number(3, 2) + Wire.group(1, Wire.group(2, [])) + Wire.number(3, 5)
        #expect(
            text(group)
                == #"[{"number":3,"wire":"varint","uint":2,"int":2,"sint":1},"#
                + #"{"number":1,"wire":"group","message":"#
                + #"[{"number":2,"wire":"group","message":[]}]},"#
                + #"{"number":3,"wire":"varint","uint":5,"int":5,"sint":-3}]"#)
    }

    // MARK: Hostile

    private static let broken: [(String, [UInt8])] = [
        ("a varint of more than ten bytes", [0x08] + [UInt8](repeating: 0x80, count: 10) + [1]),
        ("an invalid field number", [0x00, 0x01]),
        ("an invalid field number", Wire.tag(1 << 29, 0) + [1]),
        ("an invalid wire type", [0x0E]),
        ("an invalid wire type", [0x0F]),
        ("ends within a field", [0x0A, 0x05, 0x61]),
        ("ends within a field", [0x0A] + Wire.varint(1 << 62)),
        ("ends within a field", [0x0A] + Wire.varint(.max)),
        ("ends within a field", [0x09, 1, 2, 3]),
        ("ends within a field", [0x08]),
        ("the end of a group that was not open", [0x0C]),
        ("the end of a group that was not open", [0x0B, 0x14]),
        ("ends within a field", [0x0B, 0x08, 0x01]),
        (
            "nested too deep",
            [UInt8](repeating: 0x0B, count: 10_000) + [UInt8](repeating: 0x0C, count: 10_000)
        ),
    ]

    @Test(arguments: broken)
    func `a malformed Protobuf field is reported after the fields that precede it`(
        what: String, rest: [UInt8]
    )
        throws
    {
        guard case .array(let fields) = FieldReadings.json(of: Wire.number(9, 4) + rest) else {
            Issue.record("no array")
            return
        }
        #expect(fields.count == 2)
        #expect(fields.first?["uint"] == .number("4"))
        guard case .string(let problem)? = fields.last?["problem"] else {
            Issue.record("no problem")
            return
        }
        #expect(problem.hasPrefix(what))
        #expect(fields.last?["base64"] == .string(Base64.text(rest)))
    }

    @Test func `a Protobuf message truncated at any byte shows all fields before the cut`() {
        let parts = [
            Wire.number(1, 150), Wire.text(2, "testing"), Wire.fixed32(3, 7),
            Wire.fixed64(4, 8), Wire.group(5, Wire.number(1, 1)), Wire.nested(3, [1]),
        ]
        let whole = parts.flatMap { $0 }
        var end = 0
        var ends: [Int] = [0]
        for part in parts {
            end += part.count
            ends.append(end)
        }
        for cut in 0...whole.count {
            guard case .array(let fields) = FieldReadings.json(of: Array(whole[..<cut])) else {
                Issue.record("no array")
                return
            }
            let complete = ends.count { $0 > 0 && $0 <= cut }
            let isWhole = ends.contains(cut)
            #expect(fields.count == complete + (isWhole ? 0 : 1), "\(cut)")
            #expect((fields.last?["problem"] == nil) == isWhole, "\(cut)")
        }
    }

    @Test func `nested Protobuf messages without a descriptor are decoded down to level 100`() {
        let bytes = Wire.nested(10_000, [0x08, 0x01])
        var value = FieldReadings.json(of: bytes)
        var depth = 0
        while case .array(let fields) = value, let inner = fields.first?["message"] {
            value = inner
            depth += 1
        }
        #expect(depth == 99)
    }

    @Test
    func `only as many fields without a descriptor are shown as the value and step limits allow`() {
        let bytes = [UInt8]((0..<1_000).flatMap { _ in Wire.number(1, 1) })
        let limits = ProtobufLimits(valueCountMax: 100)
        guard case .array(let fields) = FieldReadings.json(of: bytes, limits: limits) else {
            Issue.record("no array")
            return
        }
        #expect(fields.count == 101)
        #expect(fields.last?["problem"] == .string("more than the limit at byte 200"))
        let steps = ProtobufLimits(stepCountMax: 10)
        guard case .array(let few) = FieldReadings.json(of: bytes, limits: steps) else {
            Issue.record("no array")
            return
        }
        #expect(few.count == 11)
    }

    /// Groups within groups are stepped over at every level; the steps are counted.
    @Test func `decoding of deeply nested Protobuf groups stops at the step limit`() {
        let content = [UInt8]((0..<2_000).flatMap { _ in Wire.number(1, 1) })
        let bytes = (0..<90).reduce(content) { content, _ in Wire.group(1, content) }
        let limits = ProtobufLimits(stepCountMax: 10_000)
        #expect(FieldReadings.json(of: bytes, limits: limits).text.contains("more than the limit"))
    }
}
