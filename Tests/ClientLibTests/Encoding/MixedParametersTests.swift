import ClientLib
import Foundation
import ProxydClientFoundation
import ProxydClientTestSupport
import Testing

/// Parameters as programs have them: dictionaries whose values are of several types.
struct MixedParametersTests {
    private let page = 2
    private let search = "a b"
    private let limit: Int? = nil

    private func sent(_ request: DataRequest) async throws -> HTTPRequest {
        let response = await request.serializingData().response
        if let error = response.error { throw error }
        return try #require(response.request)
    }

    private func query(_ request: DataRequest) async throws -> String? {
        try await sent(request).url.queryText
    }

    private func text(_ request: DataRequest) async throws -> String {
        guard case .bytes(let bytes) = try await sent(request).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private let session = Session(transport: AnsweringTransport())
    private let url = "http://a.test/"

    @Test func `a dictionary of parameters can mix Int and String values`() async throws {
        let query = try await query(
            session.request(url, parameters: ["page": page, "q": search]))
        #expect(query == "page=2&q=a%20b")
    }

    @Test func `every type of parameter value is encoded into the query as documented`()
        async throws
    {
        let query = try await query(
            session.request(
                url,
                parameters: [
                    "bool": true, "count": page, "data": Data([1, 2, 255]),
                    "date": Date(timeIntervalSinceReferenceDate: 123.5), "half": 0.5,
                    "list": [page, search, nil] as [Any?], "map": ["k": page, "l": [search]],
                    "none": limit, "null": nil, "some": Optional(search),
                    "decimal": Decimal(string: "12.30"), "url": URL(string: "http://h/?x"),
                ]))
        #expect(
            query == "bool=1&count=2&data=AQL/&date=123.5&decimal=12.3&half=0.5&list%5B%5D=2"
                + "&list%5B%5D=a%20b&map%5Bk%5D=2&map%5Bl%5D%5B%5D=a%20b&some=a%20b"
                + "&url=http%3A//h/?x")
    }

    @Test func `JSONEncoding keeps the types of parameters and encodes nil as null`() async throws {
        let text = try await text(
            session.request(
                url, method: .post,
                parameters: [
                    "a": [page, search, [true, limit as Any]], "b": ["x": nil, "y": 1.5],
                    "c": limit, "d": page,
                ], encoding: JSONEncoding.default))
        #expect(text == #"{"a":[2,"a b",[true,null]],"b":{"x":null,"y":1.5},"c":null,"d":2}"#)
    }

    @Test func `parameters can be dictionaries of Any, Sendable or String values, or nil`()
        async throws
    {
        let any: [String: Any] = ["a": page, "b": [search, page]]
        let sendable: [String: any Sendable] = ["a": page, "b": search]
        let parameters: Parameters = ["a": page, "b": search]
        let strings = ["a": "1", "b": "2"]
        let none: [String: Any]? = nil
        #expect(
            try await query(session.request(url, parameters: any))
                == "a=2&b%5B%5D=a%20b&b%5B%5D=2")
        #expect(try await query(session.request(url, parameters: sendable)) == "a=2&b=a%20b")
        #expect(try await query(session.request(url, parameters: parameters)) == "a=2&b=a%20b")
        #expect(try await query(session.request(url, parameters: strings)) == "a=1&b=2")
        #expect(try await query(session.request(url, parameters: none)) == nil)
        #expect(try await query(session.request(url, parameters: nil)) == nil)
    }

    @Test func `a parameter literal keeps repeated keys and the order of its keys`() async throws {
        // Ordered, with a name that repeats: not a dictionary.
        let text = try await text(
            session.request(
                url, method: .post, parameters: ["b": 1, "a": nil, "b": "x"],
                encoding: JSONEncoding.default))
        #expect(text == #"{"b":1,"a":null,"b":"x"}"#)
        #expect(try await query(session.request(url, parameters: ["a": "b"])) == "a=b")
        #expect(try await query(session.request(url, parameters: ["a": [1, 2]])) != nil)
    }

    @Test
    func `parameter encoders accept dictionaries of mixed types and apply a custom date strategy`()
        async throws
    {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        let text = try await text(
            session.request(
                url, method: .post,
                parameters: ["at": Date(timeIntervalSince1970: 7), "n": page, "q": search],
                encoder: JSONParameterEncoder(encoder: encoder)))
        #expect(text == #"{"at":7,"n":2,"q":"a b"}"#)
        let form = try await self.text(
            session.request(
                url, method: .post,
                parameters: ["n": page, "raw": Parameter.raw(Array("%41".utf8))],
                encoder: .urlEncodedForm))
        #expect(form == "n=2&raw=%41")
    }

    @Test func `objects from JSONSerialization can be sent as parameters`() async throws {
        let json = #"{"a":[1,2.5,true,null,"x"],"b":{"c":false,"d":-7}}"#
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let object = try #require(read as? [String: Any])
        let text = try await text(
            session.request(
                url, method: .post, parameters: object, encoding: JSONEncoding.default))
        #expect(text == json)
        let numbers: [String: Any] = [
            "b": NSNumber(value: true), "d": NSNumber(value: 0.5), "i": NSNumber(value: 7),
            "n": NSNull(), "u": NSNumber(value: UInt64.max),
        ]
        #expect(
            try await query(session.request(url, parameters: numbers))
                == "b=1&d=0.5&i=7&u=18446744073709551615")
    }

    private struct Unsendable {}

    @Test func `the error for a parameter value of an unsupported type has its key path and type`()
        async throws
    {
        let response = await session.request(
            url, parameters: ["page": page, "filter": ["of": [search, Unsendable()] as [Any]]]
        ).serializingData().response
        let error = try #require(response.error)
        #expect(error.kind == .parameterEncodingFailed)
        #expect(
            error.description.contains("“filter[of][1]” is of the type Unsendable"),
            "\(error)")
    }

    @Test func `parameters that are nested too deeply are rejected`() async throws {
        var deep: [String: Any] = [:]
        for _ in 0..<1_000 { deep = ["a": deep] }
        let response = await session.request(url, parameters: deep).serializingData().response
        #expect(response.error?.kind == .parameterEncodingFailed)
    }

    @Test
    func `the parameters of download requests and stream requests are encoded into the query`()
        async throws
    {
        struct Search: Encodable { let q: String }
        let downloads = [
            session.download(url, parameters: ["page": page, "q": search]),
            session.download(url, parameters: Search(q: search)),
        ]
        var queries: [String?] = []
        for download in downloads {
            queries.append(await download.serializingData().response.request?.url.queryText)
        }
        let streams = [
            session.streamRequest(url, parameters: ["page": page, "q": search]),
            session.streamRequest(url, parameters: Search(q: search)),
        ]
        for stream in streams {
            for try await _ in stream.streamingData() {}
            queries.append(stream.request?.url.queryText)
        }
        #expect(queries == ["page=2&q=a%20b", "q=a%20b", "page=2&q=a%20b", "q=a%20b"])
    }
}
