import ClientLib
import ProxydClientTargets
import Testing

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
