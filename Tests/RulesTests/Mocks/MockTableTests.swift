import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydRules

@Suite struct MockTableTests {
    private func table(
        _ captures: [MockRequest], match: [String] = [], ignore: [String] = [],
        order: MockOrder = .thenLast
    ) throws -> MockTable {
        var table = MockTable(try MockMatching(match: match, ignore: ignore), order: order)
        for (index, capture) in captures.enumerated() {
            table.add(capture, id: Int64(index + 1))
        }
        return table
    }

    /// Whether a capture answers a request.
    private func agree(
        _ capture: MockRequest, _ request: MockRequest, match: [String] = [],
        ignore: [String] = []
    ) throws -> Bool {
        var table = try table([capture], match: match, ignore: ignore)
        return table.answer(to: request) == .capture(1)
    }

    @Test(arguments: [
        ("http://a.test/x", "http://A.TEST/x", true),
        ("http://a.test/x", "http://a.test:80/x", true),
        ("http://a.test/x", "http://a.test:81/x", false),
        ("http://a.test/x", "https://a.test/x", false),
        ("http://a.test/x", "http://a.test/X", false),
        ("http://a.test/%7ea", "http://a.test/~a", true),
        ("http://a.test/%c3%a9", "http://a.test/%C3%A9", true),
        ("http://a.test/a%2fb", "http://a.test/a/b", false),
        ("http://a.test/x", "http://a.test/x/", false),
        ("http://a.test/x", "http://a.test/x?", true),
        ("http://a.test/x?a", "http://a.test/x?a=", true),
        ("http://a.test/x?a=1&a=2", "http://a.test/x?a=2&a=1", true),
        ("http://a.test/x?a=1&a=1", "http://a.test/x?a=1", false),
        ("http://a.test/x?a=1&&b=2", "http://a.test/x?b=%32&a=1", true),
        ("http://a.test/x?a=1&b=2", "http://a.test/x?a=2&b=1", false),
        ("http://a.test/x?a=b%26c", "http://a.test/x?a=b&c", false),
        ("http://a.test/x?%C3%A9=1", "http://a.test/x?e%CC%81=1", false),
    ])
    func `mocks compare URLs regardless of host case, default port, escapes and query order`(
        capture: String, request: String, isSame: Bool
    ) throws {
        #expect(try agree(.of("GET", capture), .of("GET", request)) == isSame)
    }

    @Test func `a mock serves a capture only for requests with the captured method`() throws {
        let url = "http://a.test/x"
        #expect(try !agree(.of("GET", url), .of("HEAD", url)))
        #expect(try !agree(.of("GET", url), .of("get", url)))
    }

    @Test(arguments: [
        (#"{"a":1,"b":[1,2]}"#, #" {"b":[1.0,20e-1],"a":1}"#, true),
        (#"{"a":1}"#, #"{"a":"1"}"#, false), ("[1,2]", "[2,1]", false),
        (#"{"a":null}"#, "{}", false), (#"{"a":1,"a":2}"#, #"{"a":2}"#, false),
        (#"{"a":"\u00e9"}"#, #"{"a":"é"}"#, true), ("[true]", "[false]", false),
        ("[0]", "[-0.0]", true), ("[1e400]", "[10e399]", true), ("[1]", "[1,1]", false),
        (#"[{"a":1},{"b":2}]"#, #"[{"b":2},{"a":1}]"#, false), ("[[]]", "[{}]", false),
        (#"{"a":{"b":1}}"#, #"{"a":1,"b":1}"#, false), ("[1e99999999999999999999]", "[1]", false),
        (#"{"broken"#, #"{"broken"#, true), (#"{"broken"#, #"{"broken "#, false),
        (#"["12"]"#, "[12]", false), ("[120]", "[12]", false), ("[0.12]", "[12e-2]", true),
    ])
    func `mocks compare JSON bodies by their values`(capture: String, request: String, isSame: Bool)
        throws
    {
        func post(_ body: String) -> MockRequest {
            .of("POST", "http://a.test/x", type: "application/json", body: body)
        }
        #expect(try agree(post(capture), post(request)) == isSame)
    }

    @Test(arguments: [
        ("json:nonce", #"{"a":1,"nonce":"x"}"#, #"{"a":1,"nonce":"y"}"#, true),
        ("json:nonce", #"{"a":1,"nonce":"x"}"#, #"{"a":1}"#, true),
        ("json:nonce", #"{"a":1,"nonce":"x"}"#, #"{"a":2,"nonce":"x"}"#, false),
        ("json:a.b[0]", #"{"a":{"b":[1,2]}}"#, #"{"a":{"b":[3,2]}}"#, true),
        ("json:a.b[0]", #"{"a":{"b":[1,2]}}"#, #"{"a":{"b":[1,3]}}"#, false),
        ("json:a.b", #"{"a":1}"#, #"{"a":1}"#, true),
    ])
    func `mocks ignore the JSON paths in the ignore list when comparing bodies`(
        ignored: String, capture: String, request: String, isSame: Bool
    ) throws {
        func post(_ body: String) -> MockRequest {
            .of("POST", "http://a.test/x", type: "application/json", body: body)
        }
        #expect(try agree(post(capture), post(request), ignore: [ignored]) == isSame)
    }

    @Test(arguments: [
        ("a=1&b=%20", "b=+&a=1", true), ("a=1&csrf=x", "csrf=y&a=1", true),
        ("a=1&csrf=x", "a=1", true), ("a=1", "a=2", false), ("a=1&a=1", "a=1", false),
    ])
    func `mocks compare form bodies by their pairs, in any order`(
        capture: String, request: String, isSame: Bool
    ) throws {
        func post(_ body: String) -> MockRequest {
            .of(
                "POST", "http://a.test/x", type: "application/x-www-form-urlencoded", body: body)
        }
        #expect(try agree(post(capture), post(request), ignore: ["form:csrf"]) == isSame)
    }

    @Test func `mocks compare multipart bodies by the names and contents of their parts`() throws {
        func post(_ boundary: String, _ parts: [(head: String, content: String)]) -> MockRequest {
            let body =
                parts.map { part in
                    "--\(boundary)\r\nContent-Disposition: form-data; \(part.head)\r\n\r\n"
                        + "\(part.content)\r\n"
                }.joined() + "--\(boundary)--\r\n"
            return .of(
                "POST", "http://a.test/x", type: "multipart/form-data; boundary=\(boundary)",
                body: body)
        }
        let name = (head: "name=\"a\"", content: "1")
        let file = (head: "name=\"f\"; filename=\"a.txt\"", content: "text")
        let token = (head: "name=\"csrf\"", content: "x")
        let capture = post("AaB03x", [name, file, token])
        let ignore = ["form:csrf"]
        #expect(try agree(capture, post("ZzZ9", [file, name]), ignore: ignore))
        #expect(try !agree(capture, post("ZzZ9", [file]), ignore: ignore))
        #expect(try !agree(capture, post("ZzZ9", [name, file]), ignore: []))
        let other = (head: "name=\"f\"; filename=\"b.txt\"", content: "text")
        #expect(try !agree(capture, post("ZzZ9", [name, other]), ignore: ignore))
        let changed = (head: file.head, content: "text ")
        #expect(try !agree(capture, post("ZzZ9", [name, changed]), ignore: ignore))
    }

    @Test
    func `mocks compare plain-text bodies byte for byte, and a JSON body never equals a form`()
        throws
    {
        func post(_ type: String?, _ body: String) -> MockRequest {
            .of("POST", "http://a.test/x", type: type, body: body)
        }
        #expect(try agree(post("text/plain", "abc"), post("text/plain", "abc")))
        #expect(try !agree(post("text/plain", "abc"), post("text/plain", "abd")))
        #expect(try !agree(post("text/plain", "abc"), post("text/plain", "")))
        let json = post("application/json", "{}")
        let form = post("application/x-www-form-urlencoded", "csrf=1")
        #expect(try !agree(json, form, ignore: ["form:csrf"]))
    }

    @Test func `mocks ignore the query parameters in the ignore list when comparing requests`()
        throws
    {
        let capture = MockRequest.of("GET", "http://a.test/x?ts=1&a=1")
        #expect(try agree(capture, .of("GET", "http://a.test/x?a=1&ts=2"), ignore: ["query:ts"]))
        #expect(try !agree(capture, .of("GET", "http://a.test/x?a=1&ts=2")))
    }

    @Test func `mocks compare a header field only if the match list names it`() throws {
        func get(_ headers: [String: String]) -> MockRequest {
            .of("GET", "http://a.test/x", headers: headers)
        }
        let match = ["header:Accept"]
        #expect(try agree(get(["accept": "a"]), get(["ACCEPT": "a", "X": "1"]), match: match))
        #expect(try !agree(get(["accept": "a"]), get([:]), match: match))
        #expect(try !agree(get(["accept": "a"]), get(["Accept": "A"]), match: match))
        #expect(try agree(get(["accept": "a"]), get(["accept": "b"])))
    }

    private static let url = "http://a.test/x"

    @Test(
        arguments: [
            (MockOrder.thenLast, [1, 2, 3, 3, 3]), (.cycle, [1, 2, 3, 1, 2]),
            (.last, [3, 3, 3, 3, 3]),
            (.once, [1, 2, 3, nil, nil]),
        ] as [(MockOrder, [Int64?])])
    func `a mock serves several captures of the same request in the configured order`(
        order: MockOrder, expected: [Int64?]
    ) throws {
        let request = MockRequest.of("GET", MockTableTests.url)
        var table = try table([request, request, request], order: order)
        for _ in 0..<2 {
            for id in expected {
                let wanted = id.map { MockAnswer.capture($0) } ?? .unmatched(.usedUp(last: 3))
                #expect(table.answer(to: request) == wanted)
            }
            table.startOver()
        }
    }

    @Test func `a mock advances the sequence of captures for each request separately`() throws {
        let (one, two) = (
            MockRequest.of("GET", "http://a.test/1"), MockRequest.of("GET", "http://a.test/2")
        )
        var table = try table([one, two, one, two], order: .once)
        #expect(table.answer(to: one) == .capture(1))
        #expect(table.answer(to: two) == .capture(2))
        #expect(table.answer(to: two) == .capture(4))
        #expect(table.answer(to: one) == .capture(3))
        #expect(table.answer(to: one) == .unmatched(.usedUp(last: 3)))
        // What is recorded meanwhile is served.
        table.add(one, id: 9)
        #expect(table.answer(to: one) == .capture(9))
    }

    @Test func `a mock counts served and unmatched requests and lists captures never served`()
        throws
    {
        let one = MockRequest.of("GET", "http://a.test/1")
        var table = try table([one, .of("GET", "http://a.test/2"), one])
        _ = table.answer(to: one)
        _ = table.answer(to: .of("GET", "http://a.test/9"))
        #expect(table.count == 3)
        #expect(table.servedCount == 1)
        #expect(table.unmatchedCount == 1)
        #expect(table.neverServed == [2, 3])
        table.startOver()
        #expect(table.neverServed == [1, 2, 3])
        #expect(table.servedCount == 0)
    }

    @Test
    func `the nearest capture to an unmatched request is the one with the fewest differences`()
        throws
    {
        func post(_ query: String, _ body: String, _ accept: String) -> MockRequest {
            .of(
                "POST", "http://a.test/x?\(query)", type: "application/json", body: body,
                headers: ["Accept": accept])
        }
        var table = try table(
            [post("a=1", "[1]", "x"), post("a=2", "[2]", "x"), post("a=2", "[1]", "y")],
            match: ["header:Accept"])
        func miss(_ request: MockRequest) -> MockMiss? {
            if case .unmatched(let miss) = table.answer(to: request) { miss } else { nil }
        }
        #expect(miss(post("a=2", "[3]", "x")) == .differs(["body"], nearest: 2))
        #expect(
            miss(post("a=3", "[3]", "z"))
                == .differs(["query", "body", "header:Accept"], nearest: 1))
        #expect(miss(post("a=2", "[1]", "x")) == .differs(["query"], nearest: 1))
        #expect(miss(.of("GET", "http://a.test/x")) == .nothingAlike)
    }

    @Test(arguments: [
        (MockMiss.nothingAlike, "unmatched; differs=\"method, host or path\""),
        (.differs(["query"], nearest: 1_041), "unmatched; nearest=1041; differs=query"),
        (
            .differs(["query", "header:X-A"], nearest: 7),
            "unmatched; nearest=7; differs=\"query, header:X-A\""
        ),
        (.usedUp(last: 3), "unmatched; nearest=3; differs=\"used up\""),
    ])
    func `the Proxyd-Mock response field says why no capture matched a request`(
        miss: MockMiss, value: String
    ) {
        #expect(miss.fieldValue == value)
    }

    @Test(arguments: [
        (["Accept"], [], MockMatching.Mistake.List.match, 0), (["header:"], [], .match, 0),
        (["header:A", "header:a b"], [], .match, 1), (["header:a\r\nb"], [], .match, 0),
        ([], ["query:a", "cookie:b"], .ignore, 1), ([], ["json:a[x]"], .ignore, 0),
        ([], ["query:"], .ignore, 0),
    ])
    func `an invalid entry in a mock's match or ignore list is reported with its index`(
        match: [String], ignore: [String], list: MockMatching.Mistake.List, index: Int
    ) {
        let mistake = #expect(throws: MockMatching.Mistake.self) {
            try MockMatching(match: match, ignore: ignore)
        }
        #expect(mistake?.list == list)
        #expect(mistake?.index == index)
        #expect(mistake?.message.contains((match + ignore)[index].suffix(3)) == true)
    }

    @Test func `a mock knows from method and URL whether a capture could match the request`() throws
    {
        let table = try table([.of("POST", "http://a.test/x?a=1", type: "text/plain", body: "b")])
        #expect(table.hasPlace(of: .of("POST", "http://a.test/x")))
        #expect(!table.hasPlace(of: .of("PUT", "http://a.test/x")))
        #expect(!table.hasPlace(of: .of("POST", "http://b.test/x")))
        #expect(table.hasPlace(of: .of("POST", "http://b.test/x"), anyOrigin: true))
    }

    @Test
    func `a request body that is too large to compare does not match a capture without a body`()
        throws
    {
        let request = MockRequest.of("POST", "http://a.test/x")
        let large = MockRequest(
            method: request.method, url: request.url, fields: request.fields, body: nil)
        var table = try table([request])
        #expect(table.answer(to: large) == .unmatched(.differs(["body"], nearest: 1)))
    }

    @Test func `for a request that names no server, a mock serves the captures of any server`()
        throws
    {
        var table = try table([
            .of("GET", "http://a.test/x?a=1"), .of("GET", "https://b.test/x?a=2&b=3"),
            .of("GET", "https://b.test/x?a=2&b=4"), .of("GET", "https://b.test/y"),
        ])
        func answer(_ path: String) -> MockAnswer {
            table.answer(to: .of("GET", "http://127.0.0.1:8080\(path)"), anyOrigin: true)
        }
        #expect(answer("/x?b=3&a=2") == .capture(2))
        #expect(answer("/y") == .capture(4))
        #expect(answer("/x?a=9") == .unmatched(.differs(["query"], nearest: 1)))
        #expect(answer("/z") == .unmatched(.nothingAlike))
        #expect(table.servedCount == 2)
        #expect(table.unmatchedCount == 2)
        let named = table.answer(to: .of("GET", "http://127.0.0.1:8080/y"))
        #expect(named == .unmatched(.nothingAlike))
    }

    @Test func `a mock serves each of 500 random requests its own capture`() throws {
        var generator = SplitMix(seed: 3)
        var captures: [MockRequest] = []
        for number in 0..<500 {
            captures.append(
                .of(
                    "POST", "http://a.test/\(number % 7)?n=\(number)&m=\(number % 3)",
                    type: "application/json", body: "{\"a\":\(number),\"b\":[\(number % 5)]}"))
        }
        var table = try table(captures)
        for _ in 0..<500 {
            let number = Int.random(in: 0..<500, using: &generator)
            let request = MockRequest.of(
                "POST", "http://a.test/\(number % 7)?m=\(number % 3)&n=\(number)",
                type: "application/json", body: "{\"b\": [\(number % 5).0], \"a\":\(number)}")
            #expect(table.answer(to: request) == .capture(Int64(number + 1)))
        }
    }
}

extension MockRequest {
    /// A request to a URL of the form `http://host/origin`.
    static func of(
        _ method: String, _ url: String, type: String? = nil, body: String = "",
        headers: [String: String] = [:]
    ) -> MockRequest {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let rest = parts[2].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = rest[0].split(separator: ":")
        let scheme = String(parts[0].dropLast())
        var fields = HeaderFields(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        if let type { fields.append(name: "Content-Type", value: type) }
        return MockRequest(
            method: HTTPMethod(rawValue: method),
            url: RawURL(
                scheme: scheme, host: String(authority[0]),
                port: authority.dropFirst().first.flatMap { UInt16($0) }
                    ?? RawURL.defaultPort(scheme: scheme),
                origin: Array("/\(rest.dropFirst().first ?? "")".utf8)),
            fields: fields, body: Array(body.utf8))
    }
}
