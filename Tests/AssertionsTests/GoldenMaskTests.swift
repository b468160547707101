import ProxydAssertions
import ProxydConfigurationText
import ProxydFilter
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// What masks hide in a golden file, and what they leave.
struct GoldenMaskTests {
    private func golden(_ masks: [String], more: String = "") throws -> GoldenExpectation {
        let list = masks.map { "'\($0)'" }.joined(separator: ", ")
        let text = "[[golden]]\nname = 'g'\nfile = 'g'\nwhen = ''\nmask = [\(list)]\n\(more)"
        return try #require(
            try AssertionFile.read(text, file: "a.toml", now: 0).goldens.first)
    }

    private func line(_ exchange: Exchange, _ masks: [String], more: String = "") throws -> String {
        let store = try AssertionStore([exchange])
        let check = try GoldenCheck(
            golden(masks, more: more), AssertionRun(store.reader, scope: .everything))
        return String(decoding: try #require(check.contents), as: UTF8.self)
    }

    /// The text of the response's body in a line, unescaped.
    private func body(_ json: String, _ masks: [String]) throws -> String {
        let line = try line(.sample(1, "/a", type: "application/json", body: json), masks)
        let start = try #require(line.firstRange(of: #"]],"body_text":""#)).upperBound
        let end = try #require(line.firstRange(of: #""},"started_at""#)).lowerBound
        return String(line[start..<end]).replacing(#"\""#, with: "\"")
    }

    @Test(arguments: [
        ("json:a", #"{"a":{"b":1},"c":2}"#, #"{"a":"***","c":2}"#),
        ("json:a.b", #"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":"***","c":2}}"#),
        ("json:a[1]", #"{"a":[1,2,3]}"#, #"{"a":[1,"***",3]}"#),
        ("json:a[*]", #"{"a":[1,{"b":2}]}"#, #"{"a":["***","***"]}"#),
        ("json:[*].a", #"[{"a":1},{"b":2},3]"#, #"[{"a":"***"},{"b":2},3]"#),
        (
            "json:a[*].b[*].c", #"{"a":[{"b":[{"c":1,"d":2}]},{}]}"#,
            #"{"a":[{"b":[{"c":"***","d":2}]},{}]}"#
        ),
        ("json:a[*][*]", #"{"a":[[1,2],3]}"#, #"{"a":[["***","***"],3]}"#),
        ("json:a[*].b", #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#),
        ("json:none", #"{"a":1}"#, #"{"a":1}"#), ("json:a", "[1]", "[1]"),
        ("json:a", #"{"a":null}"#, #"{"a":"***"}"#),
    ])
    func `a JSON mask hides the values at its path in a golden file and no others`(
        mask: String, before: String, after: String
    ) throws {
        #expect(try body(before, [mask]) == after)
    }

    @Test(arguments: [
        (
            "body~[0-9]+", #"{"a":12,"b":"x34y","c":true,"d":null}"#,
            #"{"a":"***","b":"x***y","c":true,"d":null}"#
        ),
        ("body~b", #"{"b":"abc"}"#, #"{"b":"a***c"}"#),
        ("body~é+", #"{"a":"éé日"}"#, #"{"a":"***日"}"#), ("body~x", #"{"a":1}"#, #"{"a":1}"#),
    ])
    func `a body pattern mask hides its matches in JSON values, never in member names`(
        mask: String, before: String, after: String
    ) throws {
        #expect(try body(before, [mask]) == after)
    }

    @Test func `query and form masks hide values but keep the parameter names and their order`()
        throws
    {
        let masks = ["query:a", "query:é", "form:p"]
        let url = try line(.sample(1, "/x?a=1&b=2&a=3&%C3%A9=4&a&c=a"), masks)
        #expect(url.contains("/x?a=***&b=2&a=***&%C3%A9=***&a=***&c=a"))
        let sent = Exchange.sample(
            1, "/x", method: "POST", requestType: "application/x-www-form-urlencoded",
            requestBody: "p=1&q=2&p")
        let form = try line(sent, masks, more: "request = true")
        #expect(form.contains(#""body_text":"p=***&q=2&p=***""#))
    }

    @Test func `golden file masks can hide the host of a URL, its port, or both`()
        throws
    {
        var exchange = Exchange.sample(1, "/")
        exchange.request.url = RawURL(
            scheme: "https", host: "h.test", port: 8_443, origin: Array("/".utf8))
        #expect(try line(exchange, ["host"]).contains(#""https://host.test:8443/""#))
        #expect(try line(exchange, ["port"]).contains(#""https://h.test/""#))
        #expect(try line(exchange, ["host", "port"]).contains(#""https://host.test/""#))
    }

    @Test(arguments: [
        "", "resheader.", "query:", "form:", "json:", "body~", "Host", "reqheader.X", "json:a..b",
        "json:a[", "json:a[*", "body~[", "body~(?<=a)b",
    ])
    func `an empty, unknown or malformed golden file mask is rejected`(mask: String) {
        #expect(throws: (any Error).self) { try golden([mask]) }
    }

    @Test
    func `a golden file keeps the names of masked header fields and leaves out volatile fields`()
        throws
    {
        var exchange = Exchange.sample(1, "/a")
        exchange.response?.head = ResponseHead(
            status: 200, reason: "",
            fields: HeaderFields([
                (name: "X-B", value: "2"), (name: "ETag", value: "e"), (name: "x-a", value: "1"),
                (name: "X-B", value: "1"),
            ]))
        let shown = try line(exchange, ["resheader.X-A"])
        #expect(shown.contains(#"[["x-a","***"],["x-b","2"],["x-b","1"]]"#))
        #expect(!shown.lowercased().contains("etag"))
        // A field that is named is compared as far as it is there.
        #expect(try line(exchange, ["resheader.etag"]).contains(#"["etag","***"]"#))
    }
}

/// Limits of expectations.
struct ExpectationLimitTests {
    @Test(arguments: [
        (20, 190, true), (20, 189, false), (1, 10, true), (1, 9, false), (100, 950, true),
        (100, 949, false),
    ])
    func `the 95th percentile of durations is determined by the nearest-rank method`(
        count: Int, limit: Int, holds: Bool
    ) throws {
        // Exchange n takes n times 10 ms.
        let store = try AssertionStore((1...Int64(count)).map { .sample($0, "/x") })
        let problems = try store.problems("when = 'path=/x'\np95_ms = \(limit)")
        #expect(problems.isEmpty == holds, "\(problems)")
    }

    @Test
    func `a failed JSON expectation lists the first 20 distinct wrong values and groups the rest`()
        throws
    {
        let store = try AssertionStore(
            (1...40).map { .sample($0, "/x", type: "application/json", body: #"{"a":\#($0)}"#) })
        let results = try store.results(
            "[[expect]]\nname = 'a'\nwhen = 'path=/x'\njson = { \"a\" = 0 }")
        let problems = try #require(results.last).problems
        #expect(problems.count == 21)
        #expect(problems.last?.message == "json: other values")
        #expect(problems.last?.rowCount == 20)
        #expect(problems.map(\.rowCount).reduce(0, +) == 40)
    }

    @Test(arguments: [
        (#"{"a":[]}"#, "{ length = 0 }", true), (#"{"a":{"b":1}}"#, "{ length = 1 }", true),
        (#"{"a":"日本"}"#, "{ length = 2 }", true), (#"{"a":null}"#, "{ length = 0 }", false),
        (#"{"a":1e2}"#, "100", true), (#"{"a":100.0}"#, "100", true), (#"{"a":-0}"#, "0", true),
        (#"{"a":true}"#, "true", true), (#"{"a":"true"}"#, "true", false),
        (#"{"a":[1,[2.0]]}"#, "[1, [2]]", true), (#"{"a":[2,1]}"#, "[1, 2]", false),
        (#"{"a":null}"#, "{ exists = true }", true), ("[]", "{ exists = false }", true),
        (#"{"a":12345678901234567890}"#, "{ type = \"number\" }", true),
    ])
    func `expected JSON values match by type and value, not by how a number is written`(
        json: String, test: String, holds: Bool
    ) throws {
        let store = try AssertionStore([
            .sample(1, "/x", type: "application/json", body: json)
        ])
        let problems = try store.problems("when = 'path=/x'\njson = { \"a\" = \(test) }")
        #expect(problems.isEmpty == holds, "\(problems)")
    }

    @Test func `a failed JSON expectation shows only the start of a value of 500 characters`()
        throws
    {
        let long = String(repeating: "x", count: 500)
        let store = try AssertionStore([
            .sample(1, "/x", type: "application/json", body: #"{"a":"\#(long)"}"#)
        ])
        let problem = try store.problems("when = 'path=/x'\njson = { \"a\" = 1 }").first
        #expect(problem?.hasSuffix("xxx…") == true)
        #expect((problem?.count ?? 500) < 150)
    }

    @Test
    func `an expected sequence takes exchanges with equal start times in order of their numbers`()
        throws
    {
        let store = try AssertionStore(AssertionStore.shop)
        let back = try store.problems("sequence = ['path=/cart', 'path=/']")
        #expect(
            back == ["step 2 of the sequence, path=/, did not happen after exchange 4"])
        #expect(try store.problems("when = 'method=GET'\nsequence = ['path=/login']").count == 1)
    }

    @Test(arguments: [
        ("count = -1", "count"), ("count = 1.5", "count"), ("count = [1]", "count"),
        ("p95_ms = 0", "p95_ms"), ("p95_ms = nan", "p95_ms"), ("p95_ms = '5'", "p95_ms"),
        ("json = {}", "json"), ("json = 5", "json"), ("json = { a = {} }", "json"),
        ("json = { a = { type = 'text' } }", "type"), ("json = { a = { length = 'x' } }", "length"),
        ("json = { a = { exists = 1 } }", "exists"), ("json = { a = inf }", "json"),
        ("json = { a = 1979-05-27 }", "json"), ("sequence = 'path=/'", "sequence"),
        ("sequence = [5]", "sequence"), ("every = 5", "every"),
    ])
    func `an invalid value in an expectation is reported with its line and key`(
        text: String, key: String
    ) {
        let whole = "[[expect]]\nname = 'a'\nwhen = 'path=/'\n\(text)\n"
        do {
            _ = try AssertionFile.read(whole, file: "a.toml", now: 0)
            Issue.record("it is read")
        } catch {
            let told = error.problems.map(\.description)
            #expect(told.contains { $0.hasPrefix("a.toml:4") && $0.contains(key) }, "\(told)")
        }
    }
}
