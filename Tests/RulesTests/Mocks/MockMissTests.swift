import ProxydHTTPModel
import ProxydRules
import Testing

/// What a client hears whose request no capture answers.
struct MockMissTests {
    /// The text for a request whose nearest capture is another one.
    private func text(
        _ request: MockRequest, _ captured: MockRequest, ignore: [String] = []
    ) throws -> String {
        let matching = try MockMatching(ignore: ignore)
        var table = MockTable(matching)
        table.add(captured, id: 1_041)
        guard case .unmatched(let miss) = table.answer(to: request) else { return "matched" }
        let answer = miss.answer(status: 502, to: request, nearest: captured, matching)
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func post(_ body: String, type: String = "application/json") -> MockRequest {
        .of("POST", "http://a.test/x", type: type, body: body)
    }

    @Test
    func `a mock's response to an unmatched request names the nearest capture and how it differs`()
        throws
    {
        let request = MockRequest.of("GET", "http://a.test/x?a=2&c=1&n=1")
        let captured = MockRequest.of("GET", "http://a.test/x?a=1&b=1&n=1")
        #expect(
            try text(request, captured) == """
                proxyd: no capture answers GET http://a.test/x?a=2&c=1&n=1
                The nearest is 1041: GET http://a.test/x?a=1&b=1&n=1
                It differs in query.
                  query: a has another value, c is new, b is missing

                """)
        let miss = MockMiss.differs(["query"], nearest: 1_041)
        let answer = miss.answer(status: 404, to: request, nearest: nil, try MockMatching())
        #expect(answer.status == 404)
        #expect(answer.fields["Proxyd-Mock"] == "unmatched; nearest=1041; differs=query")
        #expect(answer.fields["Cache-Control"] == "no-store")
    }

    @Test(arguments: [
        (#"{"a":1,"b":[1,{"c":2}]}"#, #"{"a":1,"b":[1,{"c":3}]}"#, "b[1].c has another value"),
        (#"{"a":1}"#, #"{"b":1}"#, "a is new, b is missing"),
        (#"{"b":[1,2]}"#, #"{"b":[1]}"#, "b has another value"),
        ("[]", "{}", "the whole has another value"),
    ])
    func `a mock's response to an unmatched request names JSON differences by path`(
        request: String, captured: String, line: String
    ) throws {
        #expect(try text(post(request), post(captured)).hasSuffix("\n  body: \(line)\n"))
    }

    @Test func `a mock's response to an unmatched request says how forms and other bodies differ`()
        throws
    {
        #expect(
            try text(post("{}"), post("", type: "text/plain"))
                .hasSuffix("\n  body: JSON instead of nothing\n"))
        let plain = try text(post("abc", type: "text/plain"), post("ab", type: "text/plain"))
        #expect(plain.hasSuffix("\n  body: 3 bytes instead of 2\n"))
        let form = "application/x-www-form-urlencoded"
        #expect(
            try text(post("a=1&t=1", type: form), post("a=2&t=2", type: form), ignore: ["form:t"])
                .hasSuffix("\n  body: a has another value\n"))
    }

    @Test
    func `a mock's response to an unmatched request omits values and escapes control characters`()
        throws
    {
        let request = MockRequest.of("GET", "http://a.test/x?%1B%5B2J=secret1&%E2%80%AE=1")
        let captured = MockRequest.of("GET", "http://a.test/x?%1B%5B2J=secret2")
        let line = try #require(try text(request, captured).split(separator: "\n").last)
        #expect(line == "  query: \\u{1b}[2J has another value, \\u{202e} is new")
    }

    @Test
    func `a mock's response to an unmatched request lists ten differences and counts the others`()
        throws
    {
        let many = (0..<25).map { "\"k\($0)\":1" }.joined(separator: ",")
        let told = try text(post("{\(many)}"), post("{}"))
        #expect(told.hasSuffix("k8 is new, k9 is new and 15 more\n"), "\(told)")
    }

    @Test
    func `a mock's response to an unmatched request says if captures ran out or none is similar`()
        throws
    {
        let request = MockRequest.of("GET", "http://a.test/x")
        func text(_ miss: MockMiss) throws -> String {
            let answer = miss.answer(status: 502, to: request, nearest: nil, try MockMatching())
            return String(decoding: answer.body, as: UTF8.self)
        }
        #expect(
            try text(.usedUp(last: 7)).hasSuffix(
                "\nAll captures of it have been served; the last was 7.\n"))
        #expect(try text(.nothingAlike).hasSuffix("\nNo capture has this method, host and path.\n"))
        #expect(MockMiss.usedUp(last: 7).note == "unmatched, nearest 7, used up")
        #expect(
            MockMiss.differs(["query", "body"], nearest: 7).note
                == "unmatched, nearest 7, differs in query, body")
    }
}
