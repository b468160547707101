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

    @Test func `every known header field name is recognized in any case`() {
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
