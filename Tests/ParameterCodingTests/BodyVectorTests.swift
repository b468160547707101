import Foundation
import ProxydParameterCoding
import ProxydPropertyLists
import Testing

/// The shared cases for bodies of JSON and property lists.
@Suite struct BodyVectorTests {
    private static let path = "parameter-coding.json"

    private struct Unrepresentable: Error {}

    /// The cases about values that no parameter can hold, so that there is nothing to refuse: any
    /// object at all, half a character, a number as name.
    private static let withoutParameter: Set = ["json-219", "json-229", "plist-237"]

    /// Read with the reader under test: it keeps the order of what it reads.
    private func cases(_ kind: String) throws -> [JSONValue] {
        let bytes = try Vectors.bytes(BodyVectorTests.path)
        guard case .array(let all) = try JSONReader().read(bytes) else { return [] }
        return all.filter { $0["kind"] == .string(kind) }
    }

    @Test(.enabled(if: Vectors.has(BodyVectorTests.path)))
    func `every JSON body case of the shared parameter coding vectors gives the expected result`()
        throws
    {
        let cases = try cases("json")
        #expect(cases.count >= 10)
        for item in cases {
            let note: Comment = "\(item["id"]?.text ?? "")"
            let expected = try #require(item["expected"])
            let options = item["options"]
            let encoding = jsonEncoding(options)
            let isRefused = expected["error"] != nil
            guard let tree = try tree(item) else {
                #expect(isRefused, note)
                continue
            }
            #expect(!isRefused, note)
            let method = options?["method"]?.text ?? "POST"
            let encoded = try encoding.encode(tree, method: method)
            let body = encoded.body.map { String(decoding: $0, as: UTF8.self) }
            if let text = expected["body"] { #expect(body == text.text, note) }
            if let query = expected["query"]?.text {
                #expect(encoded.query == Array(query.utf8), note)
            }
            if case .array(let texts)? = expected["bodyOneOfOrders"] {
                #expect(texts.contains { $0.text == body }, note)
            }
            if let value = expected["bodyJSON"] {
                #expect(try JSONReader().read(encoded.body ?? []) == value, note)
            }
            if let type = expected["contentType"]?.text, options?["headers"] == nil {
                #expect(encoded.contentType == type, note)
            }
        }
    }

    @Test(.enabled(if: Vectors.has(BodyVectorTests.path)))
    func `every property list case of the shared parameter vectors gives the expected result`()
        throws
    {
        let cases = try cases("plist")
        #expect(cases.count >= 4)
        for item in cases {
            let note: Comment = "\(item["id"]?.text ?? "")"
            let expected = try #require(item["expected"])
            guard let tree = try tree(item) else {
                #expect(expected["error"] != nil, note)
                continue
            }
            #expect(expected["error"] == nil, note)
            for encoding in [PropertyListEncoding.xml, .binary] {
                let encoded = try encoding.encode(tree, method: "POST")
                #expect(encoded.contentType == (expected["contentType"]?.text), note)
                #expect(try PropertyListReader().read(encoded.body ?? []) == tree, note)
            }
        }
    }

    /// The parameters of a case; nil exactly for those that no parameter can hold.
    private func tree(_ item: JSONValue) throws -> Parameter? {
        let id = item["id"]?.text ?? ""
        do {
            let tree = try parameter(item["parameters"] ?? .null, isRoot: true)
            #expect(!BodyVectorTests.withoutParameter.contains(id), "\(id)")
            return tree
        } catch is Unrepresentable {
            #expect(BodyVectorTests.withoutParameter.contains(id), "\(id)")
            return nil
        }
    }

    @Test
    func `parameter encoders accept Int keys, replace lone surrogates, reject invalid decimals`()
        throws
    {
        #expect(throws: ParameterEncodingError.badDecimal(key: "key", text: "struct")) {
            try JSONEncoding.alamofire.encode(["key": .decimal("struct")], method: "GET")
        }
        let half = String(decoding: [0xD800] as [UInt16], as: UTF16.self)
        let body = try JSONEncoding.alamofire.encode(["key": .string(half)])
        #expect(body == Array("{\"key\":\"\u{FFFD}\"}".utf8))
        let list = try ParameterTreeEncoder().encode([42: "value"])
        let read = try PropertyListReader().read(PropertyListEncoding.xml.encode(list))
        #expect(read == ["42": "value"])
    }

    private func jsonEncoding(_ options: JSONValue?) -> JSONEncoding {
        if options?["output"] == .string("sortedKeys") { return .sortedKeys }
        return options?["encoding"] == .string("AFJSONRequestSerializer")
            ? .afNetworking : .alamofire
    }

    /// The parameters that a case names; pairs at the root, tags for what JSON has no form for.
    private func parameter(_ value: JSONValue, isRoot: Bool = false) throws -> Parameter {
        switch value {
        case .null: return .null
        case .bool(let isTrue): return .bool(isTrue)
        case .string(let text): return .string(text)
        case .number(let digits): return Int64(digits).map { .int($0) } ?? .decimal(digits)
        case .array(let elements):
            if isRoot { return try object(elements) }
            return .array(try elements.map { try parameter($0) })
        case .object(let members):
            let tag = try #require(members.first)
            return try tagged(tag.name, tag.value)
        }
    }

    private func tagged(_ tag: String, _ value: JSONValue) throws -> Parameter {
        switch (tag, value) {
        case ("$root", _): return try parameter(value)
        case ("$dict", .array(let pairs)): return try object(pairs)
        case ("$double", .string(let digits)): return .double(try #require(Double(digits)))
        case ("$date", .number(let digits)):
            return .date(ParameterDate(secondsSince2001: try #require(Double(digits))))
        case ("$data", .string(let text)):
            return .data(Array(try #require(Data(base64Encoded: text))))
        // Values that a parameter cannot even hold: an opaque one, half a character, names that
        // are numbers.
        default: throw Unrepresentable()
        }
    }

    private func object(_ pairs: [JSONValue]) throws -> Parameter {
        .object(
            try pairs.map { pair in
                guard case .array(let parts) = pair, parts.count == 2,
                    case .string(let name)? = parts.first
                else { throw Unrepresentable() }
                return Parameter.Member(name, try parameter(parts[1]))
            })
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    fileprivate var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }
}
