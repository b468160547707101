import ProxydConfigurationText
import ProxydHTTPModel
import ProxydRules
import Testing

/// Edits of requests: what changes, what stays, and what is recorded.
struct RequestEditTests {
    private func exchange(_ actions: String, _ request: String) throws -> RuleExchange {
        let text = "[[rule]]\nname = \"r\"\nrequest = [\(actions)]\n"
        let set = try RulesFile.read(text, file: "f", now: 0)
        var exchange = try RuleExchange(set, Array(request.replacing("\n", with: "\r\n").utf8))
        exchange.send()
        return exchange
    }

    /// A field's values as the server gets them, and the outcome.
    private func fields(
        _ name: String, after actions: String, _ lines: String
    ) throws -> (values: [String], outcome: String) {
        let found = try exchange(actions, "GET http://a.test/ HTTP/1.1\nHost: a.test\n\(lines)\n")
        let head = String(decoding: found.sent?.head ?? [], as: UTF8.self)
        let values = head.replacing("\r\n", with: "\n").split(separator: "\n")
            .filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1)) }
        return (values, found.applied.map(\.outcome).joined(separator: "; "))
    }

    @Test(arguments: [
        // The first of a name is set, and others of it stay.
        ("set = \"cookie:a\", value = \"9\"", "Cookie: a=1; a=2\n", [" a=9; a=2"]),
        // A name is compared whole, with its letters as they are.
        ("set = \"cookie:a\", value = \"9\"", "Cookie: A=1; aa=2\n", [" A=1; aa=2; a=9"]),
        ("remove = \"cookie:a\"", "Cookie: a=1; b=a=1; a\n", [" b=a=1"]),
        ("remove = \"cookie:a\"", "Cookie: a=1\nCookie: b=2; a=3\n", [" b=2"]),
        ("remove = \"cookie:a\", match = '^1$'", "Cookie: a=1; a=12\n", [" a=12"]),
        // A last semicolon is no cookie.
        ("remove = \"cookie:a\"", "Cookie: a=1;\n", []),
        ("remove = \"cookie:a\"", "Cookie: ; a=1 ; \n", []),
        ("add = \"cookie:n\", value = \"1\"", "Cookie: a=1;\n", [" a=1; n=1"]),
        ("set = \"cookie:n\", value = \"1\"", "Cookie: a=1\nCookie: b=2\n", [" a=1", " b=2; n=1"]),
        ("set = \"cookie:n\", value = \"\"", "", [" n="]),
        ("add = \"cookie:a\", value = \"=\"", "Cookie: a\n", [" a; a=="]),
    ])
    func `a rule's cookie edit changes individual name-value pairs in the Cookie field`(
        _ action: String, _ lines: String, _ values: [String]
    ) throws {
        let found = try fields("Cookie", after: "{ \(action) }", lines)
        #expect(found.values == values)
        #expect(found.outcome == "changed")
    }

    @Test(arguments: [
        "remove = \"cookie:b\"", "remove = \"cookie:a\", match = '2'",
        "set = \"cookie:a\", value = \"1\"",
    ])
    func `a cookie edit that changes nothing leaves the Cookie field byte for byte as it was`(
        _ action: String
    ) throws {
        let found = try fields("Cookie", after: "{ \(action) }", "Cookie:a=1\n")
        #expect(found.values == ["a=1"])
        #expect(found.outcome == "unchanged")
    }

    @Test(arguments: [
        ("add", "value = \"3\"", [" 1", " 2", " 3"], "changed"),
        ("set", "value = \"2\"", [" 2"], "changed"),
        ("remove", "match = '^[13]'", [" 2"], "changed"),
        ("remove", "match = '3'", [" 1", " 2"], "unchanged"),
        ("replace", "match = '\\d', with = \"<$0$0>\"", [" <11>", " <22>"], "changed"),
        ("replace", "match = '', with = \"-\", times = 1", [" -1", " -2"], "changed"),
        ("replace", "match = '1', with = \"\\n\"", [" 1", " 2"], "not a field value"),
        // One line cannot be changed, the other one is.
        ("replace", "match = '1|(2)', with = \"$1 x\"", [" 1", " 2 x"], "changed"),
    ])
    func `a rule can add, set, remove and replace header fields by name`(
        _ verb: String, _ options: String, _ values: [String], _ outcome: String
    ) throws {
        let action = "{ \(verb) = \"header:x-a\", \(options) }"
        let found = try fields("X-A", after: action, "X-A: 1\nX-A: 2\n")
        #expect(found.values == values)
        #expect(found.outcome == outcome)
    }

    @Test
    func `a replacement that would make a header field exceed 64 KiB is skipped and recorded`()
        throws
    {
        let value = String(repeating: "a", count: 40_000)
        let action = "{ replace = \"header:X-A\", match = 'a', with = \"aa\" }"
        let found = try fields("X-A", after: action, "X-A: \(value)\n")
        #expect(found.values == [" " + value])
        #expect(found.outcome == "too large")
    }

    @Test func `a rule that sets Host does not change the server that the request is sent to`()
        throws
    {
        let found = try exchange(
            "{ set = \"header:host\", value = \"b.test:81\" }",
            "GET http://a.test/x HTTP/1.1\nHost: a.test\n\n")
        #expect(found.sent?.text == "GET /x HTTP/1.1\r\nHost: b.test:81\r\n\r\n")
        #expect(found.destination?.authority == "a.test")
    }

    @Test(arguments: ["add = \"header:Host\", value = \"b\"", "remove = \"header:Host\""])
    func `a rule can neither add a second Host field nor remove the only one`(_ action: String)
        throws
    {
        let found = try fields("Host", after: "{ \(action) }", "")
        #expect(found.values == [" a.test"])
        #expect(found.outcome == "unchanged")
    }

    @Test(
        arguments: [
            ("set = \"query:a\", value = \"9\"", "/p?a=1&a=2", "/p?a=9&a=2"),
            ("set = \"query:a b\", value = \"é\"", "/p", "/p?a%20b=%C3%A9"),
            ("remove = \"query:a\", match = '^2'", "/p?a=1&a=2&%61=21", "/p?a=1"),
            ("remove = \"query:a\"", "/p?a", "/p"),
            ("add = \"query:a\", value = \"\"", "/p?a=1&", nil),
            ("set = \"query\", value = \"\"", "/p?a=1", "/p"),
            ("set = \"query\", value = \"%zz&?\"", "/p", "/p?%zz&?"),
            (
                "replace = \"query\", match = '=', with = \":\", times = 1", "/p?a=1&b=2",
                "/p?a:1&b=2"
            ),
            ("set = \"path\", value = \"/\"", "/p/q?a=/p", "/?a=/p"),
            ("replace = \"path\", match = 'p', with = \"q\"", "/p?p=p", "/q?p=p"),
            ("set = \"url\", value = \"http://a.test\"", "/p?a", "/"),
            ("set = \"url\", value = \"http://a.test?b\"", "/p?a", "/?b"),
        ] as [(String, String, String?)])
    func `a rule's edit of one part of a URL leaves the other parts unchanged`(
        _ action: String, _ target: String, _ wanted: String?
    ) throws {
        let found = try exchange(
            "{ \(action) }", "GET http://a.test\(target) HTTP/1.1\nHost: a.test\n\n")
        let sent = found.sent?.text.split(separator: " ").dropFirst().first.map(String.init)
        if let wanted { #expect(sent == wanted) }
        #expect(sent?.hasPrefix("/") == true)
        #expect(found.applied.map(\.outcome) == ["changed"])
    }

    @Test(arguments: [
        "set = \"query:a\", value = \"x y\"", "remove = \"query:b\"",
        "set = \"path\", value = \"/%7e\"", "set = \"query\", value = \"a=x%20y\"",
        "replace = \"url\", match = 'B', with = \"C\"",
    ])
    func `a URL edit that changes nothing keeps the client's percent escapes`(_ action: String)
        throws
    {
        let found = try exchange(
            "{ \(action) }", "GET http://a.test/%7e?a=x%20y HTTP/1.1\nHost: a.test\n\n")
        #expect(found.sent?.text.hasPrefix("GET /%7e?a=x%20y HTTP/1.1\r\n") == true)
        #expect(found.applied.map(\.outcome) == ["unchanged"])
    }

    @Test(arguments: [
        ("send_to = \"http://b.test/base\"", "OPTIONS *"),
        ("replace = \"url\", match = 'a[.]test', with = \"b.test\"", "OPTIONS *"),
        ("set = \"url\", value = \"http://b.test/\"", "OPTIONS /"),
        ("set = \"header:X\", value = \"1\"", "OPTIONS *"),
    ])
    func `an OPTIONS * request keeps the target * unless a rule sets a URL with a path`(
        _ action: String, _ start: String
    ) throws {
        let found = try exchange(
            "{ \(action) }", "OPTIONS http://a.test HTTP/1.1\nHost: a.test\n\n")
        let sent = found.sent?.text ?? ""
        #expect(sent.hasPrefix("\(start) HTTP/1.1\r\n"), "\(sent)")
    }

    @Test(arguments: [
        ("/v1", "/v1/a?x=1", "/base/a?x=1"), ("/v1", "/v10/a", "/base/v10/a"),
        ("/v1", "/v1", "/base/"), ("/v1/", "/v1/a", "/base/a"), ("/v1", "/a/v1", "/base/a/v1"),
        ("/", "/a", "/base/a"),
    ])
    func `the strip option of send_to removes only whole segments from the start of the path`(
        _ prefix: String, _ path: String, _ wanted: String
    ) throws {
        let found = try exchange(
            "{ send_to = \"http://b.test/base\", strip = \"\(prefix)\" }",
            "GET http://a.test\(path) HTTP/1.1\nHost: a.test\n\n")
        let sent = found.sent?.text ?? ""
        #expect(sent.hasPrefix("GET \(wanted) HTTP/1.1\r\n"), "\(sent)")
    }

    @Test(arguments: ["query:a", "query", "path"])
    func `a rule can give an OPTIONS * request a path, but not a query`(
        _ target: String
    ) throws {
        let value = target == "path" ? "/x" : "a=1"
        let found = try exchange(
            "{ set = \"\(target)\", value = \"\(value)\" }",
            "OPTIONS http://a.test HTTP/1.1\nHost: a.test\n\n")
        // A path makes it a request for that; a query alone cannot be.
        let isDone = target == "path"
        #expect(found.sent?.text.hasPrefix("OPTIONS \(isDone ? "/x" : "*") ") == true)
        #expect(found.applied.map(\.outcome) == [isDone ? "changed" : "not a URL"])
    }

    @Test(arguments: [
        ("set = \"form:a\", value = \"x y\"", "a=x%20y&b=2&a=3"),
        ("add = \"form:c\", value = \"&\"", "a=1&b=2&a=3&c=%26"),
        ("remove = \"form:a\"", "b=2"), ("remove = \"form:a\", match = '3'", "a=1&b=2"),
        ("replace = \"body\", match = 'a=', with = \"\", times = 1", "1&b=2&a=3"),
        ("set = \"body\", value = \"\"", ""),
    ])
    func `a rule edits a form pair by pair and updates Content-Length`(
        _ action: String, _ body: String
    ) throws {
        let found = try exchange(
            "{ \(action) }",
            "POST http://a.test/ HTTP/1.1\nHost: a.test\n"
                + "Content-Type: Application/X-WWW-Form-Urlencoded; charset=utf-8\n"
                + "Content-Length: 11\n\na=1&b=2&a=3")
        #expect(found.sent.map { String(decoding: $0.body, as: UTF8.self) } == body)
        let head = found.sent.map { String(decoding: $0.head, as: UTF8.self) }
        #expect(head?.contains("\r\nContent-Length: \(body.utf8.count)\r\n") == true)
    }

    @Test(arguments: [
        ("remove = \"json:a\"", "{\"b\": [1]}", "changed"),
        ("remove = \"json:b[0]\"", "{\"a\": 1, \"b\": []}", "changed"),
        ("remove = \"json:z\"", "{\"a\": 1, \"b\": [1]}", "unchanged"),
        ("set = \"json:a.x\", value = 1", "{\"a\": 1, \"b\": [1]}", "no such place"),
        ("set = \"json:a\", value = 1", "{\"a\": 1, \"b\": [1]}", "unchanged"),
        ("set = \"form:a\", value = \"1\"", "{\"a\": 1, \"b\": [1]}", "not a form"),
    ])
    func `a rule's JSON edit changes only the value at its path`(
        _ action: String, _ body: String, _ outcome: String
    ) throws {
        let found = try exchange(
            "{ \(action) }",
            "POST http://a.test/ HTTP/1.1\nHost: a.test\nContent-Length: 18\n\n"
                + "{\"a\": 1, \"b\": [1]}")
        #expect(found.sent.map { String(decoding: $0.body, as: UTF8.self) } == body)
        #expect(found.applied.map(\.outcome) == [outcome])
    }

    @Test
    func `a rule with several actions records its most important outcome and the details of all`()
        throws
    {
        let found = try exchange(
            "{ tag = \"t\" }, { delay_ms = 5 }, { set = \"json:a\", value = 1 }, "
                + "{ set = \"header:A\", value = \"1\" }, { set = \"header:B\", value = \"2\" }",
            "GET http://a.test/ HTTP/1.1\nHost: a.test\n\n")
        let applied = try #require(found.applied.first)
        #expect(applied.outcome == "changed")
        #expect(applied.detail == "5 ms, header:A, header:B, no body")
        #expect(found.tags == ["t"] && found.delays[.request] == 5)
    }
}
