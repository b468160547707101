import ProxydParameterCoding
import Testing

@Suite struct URLEncodingRequestTests {
    private let form = "application/x-www-form-urlencoded"

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func joined(
        _ url: String,
        _ pairs: String?,
        _ existing: URLQuery.Existing = .asGiven
    ) -> String {
        let bytes = URLQuery.joined(
            Array(url.utf8), with: pairs.map { Array($0.utf8) }, existing: existing)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE"])
    func `URLEncoding puts the parameters of GET, HEAD and DELETE into the query`(method: String)
        throws
    {
        let encoded = try URLEncoding.default.encode(["foo": 1, "bar": 2], method: method)
        let expected = EncodedParameters(
            query: bytes("bar=2&foo=1"), existingQuery: .escaped)
        #expect(encoded == expected)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "OPTIONS", "QUERY", "get", ""])
    func `URLEncoding puts parameters into the body for all methods except GET, HEAD and DELETE`(
        method: String
    ) throws {
        let encoded = try URLEncoding.default.encode(["foo": 1], method: method)
        #expect(encoded.query == nil)
        #expect(encoded.body == bytes("foo=1"))
        #expect(encoded.contentType == form + "; charset=utf-8")
    }

    @Test func `the methods whose parameters URLEncoding puts into the query can be chosen`() throws
    {
        let encoding = URLEncoding.default.changed { $0.queryMethods = ["QUERY"] }
        #expect(try encoding.encode(["a": 1], method: "QUERY").query == bytes("a=1"))
        #expect(try encoding.encode(["a": 1], method: "GET").body == bytes("a=1"))
        #expect(try URLEncoding.queryString.encode(["a": 1], method: "POST").body == nil)
        #expect(try URLEncoding.httpBody.encode(["a": 1], method: "GET").body == bytes("a=1"))
    }

    @Test
    func `in a POST, URLEncoding writes no body for nil parameters and an empty body for [:]`()
        throws
    {
        #expect(try URLEncoding.default.encode(nil, method: "POST") == EncodedParameters())
        #expect(try URLEncoding.default.encode([:], method: "GET") == EncodedParameters())
        let encoded = try URLEncoding.default.encode([:], method: "POST")
        #expect(encoded.body == [])
        #expect(encoded.contentType == form + "; charset=utf-8")
    }

    @Test
    func `for nil parameters of a POST, the afNetworking preset still sets Content-Type`()
        throws
    {
        let encoded = try URLEncoding.afNetworking.encode(nil, method: "POST")
        #expect(encoded == EncodedParameters(body: [], contentType: form))
        #expect(try URLEncoding.afNetworking.encode(nil, method: "GET") == EncodedParameters())
        #expect(try URLEncoding.afNetworking.text(["a": nil, "b": 1]) == "a&b=1")
    }

    @Test func `the whatwgForm preset sets Content-Type without a charset`() throws {
        #expect(try URLEncoding.whatwgForm.encode(["a": 1], method: "POST").contentType == form)
    }

    @Test(arguments: [
        ("http://a/x", "http://a/x?k=v"),
        ("http://a", "http://a?k=v"),
        ("http://a/x?", "http://a/x?k=v"),
        ("http://a/x?a=b", "http://a/x?a=b&k=v"),
        ("http://a/x?a=b&", "http://a/x?a=b&k=v"),
        ("http://a/x?&", "http://a/x?&k=v"),
        ("http://a/x#f", "http://a/x?k=v#f"),
        ("http://a/x?#f", "http://a/x?k=v#f"),
        ("http://a/x?a=b#f?g#h", "http://a/x?a=b&k=v#f?g#h"),
        ("http://a/x?a?b", "http://a/x?a?b&k=v"),
        ("http://a/x?q=%E4%zz[1]", "http://a/x?q=%E4%zz[1]&k=v"),
        ("", "?k=v"),
    ])
    func `encoded pairs are added to a URL's query, before the fragment, without stray separators`(
        url: String,
        expected: String
    ) {
        #expect(joined(url, "k=v") == expected)
        #expect(joined(url, "") == url)
        #expect(joined(url, nil) == url)
    }

    @Test
    func `adding pairs to a URL can also escape forbidden characters in its existing query`() {
        #expect(
            joined("http://a/?hd=[1]&é=%41%zz", "k=v", .escaped)
                == "http://a/?hd=%5B1%5D&%C3%A9=%41%zz&k=v")
    }

    @Test func `CompositeEncoding puts parameters into both the query and the body`() throws {
        let composite = CompositeEncoding(body: URLEncoding.httpBody)
        let encoded = try composite.encode(
            query: ["q": [[1]]], body: ["b": [["x": 1]]], method: "GET")
        #expect(encoded.query == bytes("q%5B%5D%5B%5D=1"))
        #expect(encoded.body == bytes("b%5B%5D%5Bx%5D=1"))
        #expect(encoded.contentType == form + "; charset=utf-8")
        #expect(encoded.warnings == [.arrayOfArrays(key: "q"), .arrayOfObjects(key: "b")])
        let bodyOnly = try composite.encode(query: nil, body: ["b": 1], method: "POST")
        #expect(bodyOnly.query == nil)
        let methodDependent = CompositeEncoding(query: .default, body: URLEncoding.default)
        let posted = try methodDependent.encode(query: ["q": 1], body: ["b": 1], method: "POST")
        #expect(posted.query == bytes("q=1"))
        #expect(posted.body == bytes("b=1"))
    }

    @Test func `CompositeEncoding throws an error if its body encoding writes into the query`() {
        for (body, method) in [(URLEncoding.queryString, "POST"), (.default, "GET")] {
            for parameters: Parameter in [["b": 1], [:]] {
                #expect(throws: ParameterEncodingError.bodyEncodingMakesNoBody) {
                    try CompositeEncoding(body: body)
                        .encode(query: ["q": 1], body: parameters, method: method)
                }
            }
        }
    }

    @Test func `only the afNetworking presets treat the method as case-insensitive`() throws {
        for method in ["get", "Head", "DELETE"] {
            let encoded = try URLEncoding.afNetworking.encode(["a": 1], method: method)
            #expect(encoded.query == bytes("a=1") && encoded.body == nil)
            let json = try JSONEncoding.afNetworking.encode(["a": 1], method: method)
            #expect(json.query == bytes("a=1") && json.body == nil)
        }
        #expect(try URLEncoding.default.encode(["a": 1], method: "get").query == nil)
        #expect(try URLEncoding.afNetworking.encode(["a": 1], method: "post").query == nil)
    }

    @Test func `a parameter encoding states whether the URL's existing query must be escaped`()
        throws
    {
        let parameters: Parameter = ["k": 1]
        #expect(try URLEncoding.default.encode(parameters, method: "GET").existingQuery == .escaped)
        for preset in [URLEncoding.afNetworking, .whatwgForm] {
            #expect(try preset.encode(parameters, method: "GET").existingQuery == .asGiven)
        }
        let composite = CompositeEncoding(body: URLEncoding.httpBody)
        let encoded = try composite.encode(query: parameters, body: nil, method: "POST")
        #expect(encoded.existingQuery == .escaped && encoded.body == nil)
    }

    @Test
    func `a CompositeEncoding with fixed query parameters can be used like any other encoding`()
        throws
    {
        let encoding: any ParameterSerializing = CompositeEncoding(
            queryParameters: ["q": 1], body: JSONEncoding.default)
        let encoded = try encoding.encode(["b": 2], method: "POST")
        #expect(encoded.query == bytes("q=1"))
        #expect(encoded.body == bytes(#"{"b":2}"#))
        #expect(encoded.contentType == "application/json")
        #expect(try encoding.encode(value: ["b": 2], method: "POST").body == encoded.body)
        let alone = try encoding.encode(nil, method: "POST")
        #expect(alone.query == bytes("q=1") && alone.body == nil)
    }

    @Test func `URLEncoding encodes any Encodable value as parameters`() throws {
        struct Search: Encodable {
            let text: String
            let page: Int?
        }
        let encoded = try URLEncoding.default.encode(
            value: Search(text: "a b", page: nil), method: "GET")
        #expect(encoded.query == bytes("text=a%20b"))
        let none = try URLEncoding.default.encode(value: Search?.none, method: "POST")
        #expect(none == EncodedParameters())
    }
}
