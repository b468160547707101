import ClientLib
import Foundation
import ProxydClientTargets
import Testing

struct RequestTaskTests {
    private struct User: Encodable, Sendable {
        var name = "Ada"
        var score: Float = 1
    }

    private func bytes(_ request: HTTPRequest) throws -> String {
        guard case .bytes(let bytes) = request.body else { throw CancellationError() }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a plain TargetType becomes a request with its method, URL and headers and no body`()
        throws
    {
        var target = SampleTarget(.requestPlain, method: .delete)
        target.headers = ["X-A": "1"]
        let request = try target.endpoint()
        #expect(request.method == .delete)
        #expect(request.url.description == "https://api.test/v1/users")
        #expect(request.fields.pairs.map(\.name) == ["X-A"])
        #expect(request.body.isNone)
    }

    @Test func `a TargetType's data is sent unchanged, without a Content-Type`() throws {
        let request = try SampleTarget(.requestData([1, 2]), method: .post).endpoint()
        guard case .bytes([1, 2]) = request.body else { throw CancellationError() }
        #expect(request.fields["Content-Type"] == nil)
    }

    @Test
    func `a TargetType's Encodable value is sent as JSON, but the target's Content-Type is kept`()
        throws
    {
        var target = SampleTarget(.requestJSONEncodable(["a": 1]), method: .post)
        #expect(try bytes(target.endpoint()) == #"{"a":1}"#)
        #expect(try target.endpoint().fields["Content-Type"] == "application/json")
        target.headers = ["content-type": "application/vnd.api+json"]
        #expect(
            try target.endpoint().fields.values(named: "Content-Type")
                == ["application/vnd.api+json"])
    }

    @Test func `a TargetType's value is encoded with the given JSONEncoder`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let task = RequestTask.requestCustomJSONEncodable(
            ["at": Date(timeIntervalSince1970: 7)], encoder: encoder)
        #expect(try bytes(SampleTarget(task, method: .post).endpoint()) == #"{"at":7}"#)
    }

    @Test
    func `a TargetType's value that JSON cannot represent causes an error with the EncodingError`()
    {
        let task = RequestTask.requestJSONEncodable(User(score: .infinity))
        let error = #expect(throws: ClientError.self) { try SampleTarget(task).endpoint() }
        #expect(error?.kind == .parameterEncodingFailed)
        #expect(error?.underlying is EncodingError)
        #expect(error?.fault == .caller)
    }

    @Test func `a TargetType's parameters go into the query or the body, as their encoding says`()
        throws
    {
        let inQuery = RequestTask.requestParameters(
            parameters: ["a": "b c"], encoding: URLEncoding.default)
        #expect(try SampleTarget(inQuery).endpoint().url.queryText == "a=b%20c")
        let form = try SampleTarget(inQuery, method: .post).endpoint()
        #expect(form.url.query == nil)
        #expect(try bytes(form) == "a=b%20c")
        let json = RequestTask.requestParameters(
            parameters: ["a": 1], encoding: JSONEncoding.default)
        #expect(try bytes(SampleTarget(json, method: .put).endpoint()) == #"{"a":1}"#)
    }

    @Test func `a TargetType can have a data body together with query parameters`() throws {
        let task = RequestTask.requestCompositeData(
            bodyData: Array("x".utf8), urlParameters: ["a": 1])
        let request = try SampleTarget(task, method: .post).endpoint()
        #expect(request.url.queryText == "a=1")
        #expect(try bytes(request) == "x")
    }

    @Test func `a TargetType can have body parameters together with query parameters`() throws {
        for encoding: any ParameterEncoding in [JSONEncoding.default, URLEncoding.httpBody] {
            let task = RequestTask.requestCompositeParameters(
                bodyParameters: ["b": 2], bodyEncoding: encoding, urlParameters: ["a": 1])
            let request = try SampleTarget(task).endpoint()
            #expect(request.url.queryText == "a=1")
            #expect(["{\"b\":2}", "b=2"].contains(try bytes(request)))
        }
    }

    @Test
    func `a TargetType whose body encoding puts parameters into the query causes a typed error`() {
        for encoding in [URLEncoding.queryString, URLEncoding.default] {
            let task = RequestTask.requestCompositeParameters(
                bodyParameters: ["b": 2], bodyEncoding: encoding, urlParameters: ["a": 1])
            let error = #expect(throws: ClientError.self) { try SampleTarget(task).endpoint() }
            #expect(error?.kind == .parameterEncodingFailed)
            #expect(
                error?.underlying as? ParameterEncodingError == .bodyEncodingMakesNoBody)
        }
    }

    @Test func `a TargetType's files and forms become the body, and its parameters the query`()
        throws
    {
        let file = try SampleTarget(.uploadFile(URL(filePath: "/tmp/a b")), method: .post)
            .endpoint()
        guard case .file("/tmp/a b") = file.body else { throw CancellationError() }
        var form = MultipartFormData()
        form.append("v", name: "k")
        let plain = try SampleTarget(.uploadMultipart(form), method: .post).endpoint()
        guard case .multipart(form, _) = plain.body else { throw CancellationError() }
        let both = try SampleTarget(
            .uploadCompositeMultipart(form, urlParameters: ["a": 1]), method: .post
        ).endpoint()
        #expect(both.url.queryText == "a=1")
        guard case .multipart(form, _) = both.body else { throw CancellationError() }
    }

    @Test func `a TargetType's endpoint can be created with another task, and its fields changed`()
        throws
    {
        var request = try SampleTarget().endpoint(replacing: .requestData([1]))
        request.fields.update(name: "X-A", value: "1")
        guard case .bytes([1]) = request.body else { throw CancellationError() }
        #expect(request.fields["x-a"] == "1")
    }

    @Test
    func `by default, a TargetType has an empty 200 as its sample response and no validation`() {
        let target = PlainTarget()
        #expect(target.sampleData.isEmpty)
        #expect(target.validationType == .none)
        guard case .networkResponse(200, []) = target.sample else {
            Issue.record("another sample")
            return
        }
    }
}

/// Parameters of targets: they travel as those of requests do.
struct TargetParametersTests {
    private let page = 2
    private let search = "a b"
    private let limit: Int? = nil

    private struct Unsendable: Sendable {}

    @Test func `ambiguous parameters of a TargetType add warnings to its request`() throws {
        let task = RequestTask.requestCompositeParameters(
            bodyParameters: ["a": [["x": 1], ["x": 2]]], bodyEncoding: URLEncoding.httpBody,
            urlParameters: ["b": [[1]]])
        #expect(
            try SampleTarget(task, method: .post).endpoint().parameterWarnings
                == [.arrayOfObjects(key: "a"), .arrayOfArrays(key: "b")])
        let plain = RequestTask.requestParameters(
            parameters: ["a": [1]], encoding: URLEncoding.default)
        #expect(try SampleTarget(plain).endpoint().parameterWarnings == [])
    }

    @Test
    func `a TargetType's parameters of mixed types are encoded like those of a session's request`()
        throws
    {
        let url = try SampleTarget(
            .requestParameters(
                parameters: ["page": page, "q": search], encoding: URLEncoding.queryString)
        ).endpoint().url
        #expect(url.queryText == "page=2&q=a%20b")
        let composite = RequestTask.requestCompositeParameters(
            bodyParameters: ["page": page, "q": search], bodyEncoding: JSONEncoding.default,
            urlParameters: ["l": limit, "p": page])
        #expect(try SampleTarget(composite, method: .post).endpoint().url.queryText == "p=2")
        let error = #expect(throws: ClientError.self) {
            try SampleTarget(
                .requestParameters(
                    parameters: ["x": Unsendable(), "y": page], encoding: URLEncoding.default)
            ).endpoint()
        }
        let cause = error?.underlying as? ParameterEncodingError
        #expect(cause == .notEncodable(key: "x", type: "Unsendable"))
    }
}
