import Foundation
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Schemas that are found from bodies, which say what all of them have in common and no more.
struct SchemaGuessTests {
    private typealias Object = [String: Any]

    /// The schema of the responses of one operation that had these bodies.
    private func schema(
        _ bodies: [String], type: String = "application/json"
    ) throws -> [String: Any] {
        let entries = bodies.map { body -> Object in
            [
                "startedDateTime": "2024-01-01T00:00:00Z",
                "request": ["method": "GET", "url": "https://api.test/a"],
                "response": [
                    "status": 200, "headers": [["name": "Content-Type", "value": type]],
                    "content": ["text": body],
                ] as Object,
            ]
        }
        let har = try JSONSerialization.data(withJSONObject: ["log": ["entries": entries]])
        let bytes = try InterchangeStore(importing: Array(har)).export(OpenAPIWriter())
        let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object
        let item = (document?["paths"] as? Object)?["/a"] as? Object
        let response = ((item?["get"] as? Object)?["responses"] as? Object)?["200"] as? Object
        let essence = String(type.prefix { $0 != ";" })
        let content = (response?["content"] as? Object)?[essence] as? Object
        return try #require(content?["schema"] as? Object)
    }

    private func property(_ bodies: [String], _ name: String = "x") throws -> [String: Any] {
        let properties = try schema(bodies)["properties"] as? [String: Object]
        return try #require(properties?[name])
    }

    private static let uuid = #"{"x":"0b3c1f6e-6a6f-4f9b-9a8e-0d8c1a2b3c4d"}"#
    private static let date = #"{"x":"2024-01-31"}"#
    private static let time = #"{"x":"2024-01-31T12:00:00+02:00"}"#
    private static let word = #"{"x":"word"}"#
    private static let uri = #"{"x":"https://a.test/"}"#
    private static let null = #"{"x":null}"#

    @Test(
        arguments: [
            ([uuid, uuid], "uuid"), ([date, date], "date"), ([time], "date-time"), ([uri], "uri"),
            ([uuid, null, uuid], "uuid"), ([uuid, #"{"x":5}"#], "uuid"),
            ([uuid, word], nil), ([word, uuid], nil), ([uuid, date], nil),
            ([uuid, date, uuid], nil),
            ([uuid, date, date], nil), ([uuid, word, uuid], nil), ([date, time], nil),
        ] as [([String], String?)])
    func `an inferred schema has a string format only if all strings have it`(
        bodies: [String], format: String?
    ) throws {
        #expect(try property(bodies)["format"] as? String == format)
    }

    @Test(arguments: [
        (["1"], ["integer"]), (["-1"], ["integer"]), (["1.0"], ["number"]), (["1e2"], ["number"]),
        (["1", "1.5"], ["number"]), (["true", "1"], ["integer", "boolean"]),
        (["null"], ["null"]), ([#""a""#, "null", "1"], ["string", "integer", "null"]),
        (["[]", "{}"], ["object", "array"]),
    ])
    func `an inferred schema names every JSON type that occurred`(values: [String], types: [String])
        throws
    {
        let found = try property(values.map { #"{"x":\#($0)}"# })["type"]
        let names = (found as? String).map { [$0] } ?? found as? [String] ?? []
        #expect(names == types)
    }

    @Test(arguments: [
        ([#"{"a":1,"b":1}"#, #"{"a":1}"#], ["a"]),
        ([#"{"a":1,"a":2}"#, "{}"], []),
        ([#"{"a":1,"a":2}"#, #"{"a":1}"#], ["a"]),
        ([#"{"a":1}"#, "null", "17"], ["a"]),
        ([#"[{"a":1},{"b":1}]"#], []),
    ])
    func `an inferred schema requires a property only if every object has it`(
        bodies: [String], names: [String]
    ) throws {
        let schema = try schema(bodies)
        let object = schema["items"] as? Object ?? schema
        #expect(object["required"] as? [String] ?? [] == names)
    }

    @Test
    func `a form field is required in an inferred schema only if every captured form has it`()
        throws
    {
        let schema = try schema(
            ["tag=red&tag=blue", "size=1"], type: "application/x-www-form-urlencoded")
        #expect(schema["required"] == nil)
        #expect((schema["properties"] as? Object)?.keys.sorted() == ["size", "tag"])
        let both = try required(["tag=red&tag=blue", "tag=red"])
        #expect(both == ["tag"])
    }

    private func required(_ forms: [String]) throws -> [String]? {
        try schema(forms, type: "application/x-www-form-urlencoded")["required"] as? [String]
    }

    private func form(_ parts: String...) -> String {
        parts.map { "--b\r\nContent-Disposition: form-data; \($0)\r\n" }.joined() + "--b--\r\n"
    }

    @Test
    func `a multipart part seen both as a file and as text has no format in an inferred schema`()
        throws
    {
        let file = form("name=\"x\"; filename=\"f.bin\"\r\n\r\n1")
        let text = form("name=\"x\"\r\n\r\nword")
        for (bodies, format) in [
            ([file, file], "binary"), ([text, file], nil), ([file, text], nil),
        ]
            as [([String], String?)]
        {
            let schema = try schema(bodies, type: "multipart/form-data; boundary=b")
            let part = (schema["properties"] as? Object)?["x"] as? Object
            #expect(part?["type"] as? String == "string")
            #expect(part?["format"] as? String == format)
        }
    }

    @Test
    func `property names that look like values become additionalProperties in a schema`()
        throws
    {
        let schema = try schema([#"{"id":1,"17":{"a":1},"18":{"b":true}}"#])
        #expect((schema["properties"] as? Object)?.keys.sorted() == ["id"])
        let common = schema["additionalProperties"] as? Object
        #expect((common?["properties"] as? Object)?.keys.sorted() == ["a", "b"])
        #expect(common?["required"] == nil)
    }

    @Test func `an inferred schema describes nested arrays, but only to a limited depth`() throws {
        let items = try property([#"{"x":[[1],[],["a"]]}"#])["items"] as? Object
        let inner = items?["items"] as? Object
        #expect(inner?["type"] as? [String] == ["string", "integer"])
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        var schema = try schema([deep])
        var depth = 0
        while let next = schema["items"] as? Object {
            schema = next
            depth += 1
        }
        #expect((20...30).contains(depth))
    }

    @Test func `an inferred schema describes at most 200 properties of an object`() throws {
        let members = (0..<500).map { "\"name\(String(repeating: "a", count: $0 % 7))_\($0)\":1" }
        let schema = try schema(["{\(members.joined(separator: ","))}"])
        #expect((schema["properties"] as? Object)?.count ?? 0 <= 200)
    }
}
