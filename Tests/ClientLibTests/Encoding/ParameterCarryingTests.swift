import ClientLib
import ProxydClientTestSupport
import Synchronization
import Testing

struct ParameterCarryingTests {
    private let ambiguous: Parameter = ["a": [["x": 1], ["x": 2]]]

    private func request(_ url: RawURL, _ method: HTTPMethod = .get) -> HTTPRequest {
        HTTPRequest(method: method, url: url)
    }

    @Test func `an ambiguous parameter encoding adds a warning to the request`() throws {
        let request = try URLEncoding.default.encode(request("http://a.test/"), with: ambiguous)
        #expect(request.parameterWarnings == [.arrayOfObjects(key: "a")])
        let encoded = try URLEncodedFormParameterEncoder.default.encode(
            ["b": [[1], [2]]], into: request)
        #expect(encoded.parameterWarnings == [.arrayOfObjects(key: "a"), .arrayOfArrays(key: "b")])
        let json = try JSONEncoding.default.encode(request, with: nil)
        #expect(json.parameterWarnings == [.arrayOfObjects(key: "a")])
    }

    @Test func `event monitors see parameter warnings before the request is sent`() async throws {
        let warnings = Mutex<[ParameterWarning]>([])
        let monitor = ClosureEventMonitor { event, request in
            guard case .willSend = event else { return }
            warnings.withLock { $0 += request.request?.parameterWarnings ?? [] }
        }
        let session = Session(transport: AnsweringTransport(), eventMonitors: [monitor])
        defer { session.shutdown() }
        let response = await session.request("http://a.test/", parameters: ambiguous)
            .serializingData().response
        #expect(warnings.withLock { $0 } == [.arrayOfObjects(key: "a")])
        #expect(response.request?.parameterWarnings == [.arrayOfObjects(key: "a")])
    }

    @Test
    func `URLEncoding escapes invalid characters of the existing query, unless told not to`()
        throws
    {
        let request = request("https://example.com/movies?hd=[1]")
        let encoded = try URLEncoding.default.encode(request, with: ["page": "0"])
        #expect(encoded.url.queryText == "hd=%5B1%5D&page=0")
        var asGiven = URLEncoding.default
        asGiven.existingQuery = .asGiven
        #expect(try asGiven.encode(request, with: ["page": "0"]).url.queryText == "hd=[1]&page=0")
        #expect(try URLEncoding.default.encode(request, with: [:]).url.queryText == "hd=[1]")
    }

    @Test func `CompositeEncoding puts parameters into both the query and the body`() throws {
        let composite = CompositeEncoding(queryParameters: ["q": 1], body: JSONEncoding.default)
        let sent = try composite.encode(request("http://a.test/?p=0", .post), with: ["b": 2])
        #expect(sent.url.queryText == "p=0&q=1")
        guard case .bytes(let bytes) = sent.body else { throw CancellationError() }
        #expect(bytes == Array(#"{"b":2}"#.utf8))
        #expect(sent.fields["Content-Type"] == "application/json")
        #expect(
            try composite.encode(["b": 2], into: request("http://a.test/", .post)).url
                == "http://a.test/?q=1")
    }
}
