import ProxydParameterCoding
import ProxydProtobuf
import Testing

/// Messages that Python's protobuf wrote are read as its `json_format` reads them.
@Suite(
    .enabled(
        if: Protoc.isPythonThere, "no /usr/bin/protoc, or no protobuf for /usr/bin/python3"))
struct OracleTests {
    @Test(arguments: [1, 2, 3])
    func `random Protobuf messages are decoded to the same JSON as in Google's Python library`(
        seed: Int
    ) throws {
        let decoder = MessageDecoder(try Protoc.registry())
        let cases = try Protoc.cases(seed: seed, count: 350)
        #expect(cases.count > 300)
        var different: [String] = []
        for one in cases {
            let decoded = try #require(try decoder.message(one.bytes, type: one.type))
            #expect(decoded.problem == nil)
            let ours = decoded.json.compared.text
            let theirs = try JSONValue.parsed(one.json).compared.text
            if ours != theirs { different.append("\(one.type): \(ours) is not \(theirs)") }
        }
        #expect(different.isEmpty, "\(different.prefix(2))")
    }

    @Test
    func `random Protobuf messages from Google's Python library are read without descriptors`()
        throws
    {
        for one in try Protoc.cases(seed: 4, count: 300) {
            guard case .array(let fields) = FieldReadings.json(of: one.bytes) else {
                Issue.record("no fields")
                return
            }
            #expect(!fields.contains { $0["problem"] != nil })
            #expect(fields.isEmpty == one.bytes.isEmpty)
        }
    }
}

extension JSONValue {
    /// The value with members in the order of their names, and numbers as they are meant, not as
    /// they are written.
    var compared: JSONValue {
        switch self {
        case .number(let digits):
            .number(Double(digits).map { "\($0)" } ?? digits)
        case .array(let elements): .array(elements.map(\.compared))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.compared) }
                    .sorted { $0.name < $1.name })
        case .null, .bool, .string: self
        }
    }

    var text: String {
        (try? JSONWriter().write(self)).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON"
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    static func parsed(_ text: String) throws -> JSONValue {
        try JSONReader().read(Array(text.utf8))
    }
}
