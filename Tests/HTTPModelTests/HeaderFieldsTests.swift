import ProxydHTTPModel
import Testing

/// Field lines keep every byte and their order, and are found whatever their case.
struct HeaderFieldsTests {
    @Test func `header fields are written unchanged and in order`() {
        var fields = HeaderFields([("X-CaSe", " kept"), ("Set-Cookie", "a=1")])
        fields.append(name: "set-cookie", value: "b=2")
        var bytes: [UInt8] = []
        fields.write(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "X-CaSe:  kept\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n")
        #expect(fields.values(named: "SET-COOKIE") == ["a=1", "b=2"])
        #expect(fields["x-case"] == " kept")
        #expect(fields["absent"] == nil)
    }

    @Test
    func `setting a header field replaces all fields of that name at the position of the first`() {
        var fields = HeaderFields([("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")])
        fields.set(name: "A", value: "new")
        #expect(fields.pairs.map(\.name) == ["A", "B", "C"])
        #expect(fields["A"] == "new")
        fields.set(name: "D", value: "5")
        #expect(fields.pairs.map(\.name) == ["A", "B", "C", "D"])
        fields.removeAll(named: "b")
        #expect(fields.pairs.map(\.name) == ["A", "C", "D"])
    }

    @Test func `header field values that are not UTF-8 are read as Latin-1`() {
        var fields = HeaderFields()
        fields.append(name: Array("X".utf8), value: [0x63, 0xE9])
        #expect(fields["X"] == "cé")
        fields.append(name: Array("Y".utf8), value: Array("é".utf8))
        #expect(fields["Y"] == "é")
    }

    @Test func `header fields are compared by their names, values and order, not by their storage`()
    {
        let fields = HeaderFields([("A", "1"), ("B", "2")])
        let head = RequestHead(method: .get, target: Array("/".utf8), fields: fields)
        #expect(head.fields == fields)
        #expect(head.fields.hashValue == fields.hashValue)
        #expect(fields != HeaderFields([("B", "2"), ("A", "1")]))
    }

    @Test func `every known header field name is recognized in any letter case`() {
        for name in FieldName.allCases where name != .other {
            let text = name.lowercaseName.description
            for spelling in [text, text.uppercased(), text.capitalized] {
                #expect(recognise(spelling) == name)
            }
            #expect(recognise(text + "x") == .other)
        }
        #expect(recognise("") == .other)
    }

    private func recognise(_ text: String) -> FieldName {
        let bytes = Array(text.utf8)
        return FieldName(bytes.span)
    }
}

extension String {
    /// Each word's first letter in upper case, as field names are commonly written.
    fileprivate var capitalized: String {
        split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined(separator: "-")
    }
}

/// Field lines whose names and values may be any bytes.
struct FieldListTests {
    private func list(_ pairs: [([UInt8], [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        for pair in pairs {
            FieldList.append(name: pair.0.span, value: pair.1.span, to: &bytes)
        }
        return bytes
    }

    @Test func `encoded header fields are decoded unchanged, whatever their bytes and lengths`() {
        let pairs: [([UInt8], [UInt8])] = [
            ([], []), ([0], [0xFF, 0x3A, 0x0A]),
            (Array("a".utf8), [UInt8](repeating: 7, count: 127)),
            ([UInt8](repeating: 8, count: 128), [UInt8](repeating: 9, count: 20_000)),
        ]
        let read = FieldList.pairs(list(pairs))
        #expect(read.map { Array($0.name) } == pairs.map(\.0))
        #expect(read.map { Array($0.value) } == pairs.map(\.1))
        #expect(FieldList.lines(list([([0x61], [0x62])])) == [Array("a: b".utf8)])
    }

    @Test func `a truncated list of encoded header fields still yields its complete fields`() {
        let bytes = list([([1, 2], [3]), ([], [4, 5, 6]), ([7], [])])
        let ends = [5, 10, 13]
        for count in 0...bytes.count {
            let whole = ends.count { $0 <= count }
            #expect(FieldList.pairs(Array(bytes[..<count])).count == whole, "\(count)")
        }
    }

    @Test(
        arguments: [
            [0xFF], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
            [5, 1, 2], [0, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `an encoded header field with an impossible length is not read`(bytes: [UInt8]) {
        #expect(FieldList.pairs(bytes).isEmpty)
    }
}

/// Names are recognised in any case and in no other spelling (RFC 9110 §5.1).
struct FieldNameTests {
    private static let known = FieldName.allCases.filter { $0 != .other }

    @Test(arguments: known)
    func `a known header field name is recognized in lower and in upper case`(name: FieldName) {
        let bytes = FieldNameTests.bytes(name)
        #expect(FieldNameTests.read(bytes) == name)
        #expect(FieldNameTests.read(bytes.map(FieldNameTests.uppercased)) == name)
    }

    /// Among the bytes in a letter's place are those that differ from it by the bit of the case
    /// without being letters, and those above 0x7F.
    @Test(arguments: known)
    func `a known header field name with any byte replaced is not recognized`(name: FieldName) {
        let bytes = FieldNameTests.bytes(name)
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                let isSame =
                    byte == bytes[index]
                    || byte == FieldNameTests.uppercased(bytes[index])
                var changed = bytes
                changed[index] = byte
                #expect((FieldNameTests.read(changed) == name) == isSame, "\(byte) at \(index)")
            }
        }
    }

    @Test(arguments: known)
    func `a known header field name with a byte missing or added is not recognized`(name: FieldName)
    {
        let bytes = FieldNameTests.bytes(name)
        #expect(FieldNameTests.read(bytes.dropLast()) != name)
        #expect(FieldNameTests.read(bytes + [0x73]) != name)
    }

    private static func read(_ bytes: [UInt8]) -> FieldName { FieldName(bytes.span) }

    private static func bytes(_ name: FieldName) -> [UInt8] {
        let literal = name.lowercaseName
        return Array(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
    }
}
