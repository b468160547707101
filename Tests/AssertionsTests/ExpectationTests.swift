import ProxydAssertions
import ProxydCaptureModel
import ProxydConfigurationText
import ProxydHTTPModel
import ProxydPresentation
import ProxydTestSupport
import Testing

struct ExpectationTests {
    @Test(arguments: [
        ("when = 'path=/login'", []),
        ("when = 'path=/login'\ncount = 2", ["expected 2 of path=/login, found 1"]),
        ("when = 'status<600'\ncount = \"2..4\"", []),
        (
            "when = 'status<600'\ncount = \"<=3\"",
            ["expected at most 3 of status<600, found 4"]
        ),
        ("when = 'path=/none'\ncount = 0", []),
        ("when = 'path=/none'", ["expected at least 1 of path=/none, found none"]),
        ("when = 'path=/none'\nevery = 'status=200'\ncount = 0", []),
        ("when = 'host=api.test'\nevery = 'method=GET'", ["does not match method=GET"]),
        (
            "when = 'host=api.test'\nevery = 'status<500 (path=/ or path=/me or path:o) size<99'",
            [
                "does not match status<500",
                "does not match (path=/ or path=/me or path:o)",
                "does not match size<99",
            ]
        ),
        ("when = 'method=GET'\np95_ms = 40", []),
        (
            "when = 'method=GET'\np95_ms = 39.5",
            ["the 95th percentile is 40 ms, more than 39.5 ms"]
        ),
        ("sequence = ['path=/', 'path=/me', 'path=/cart']", []),
        (
            "sequence = ['path=/', 'path=/me', 'path=/login']",
            ["step 3 of the sequence, path=/login, did not happen after exchange 3"]
        ),
        (
            "sequence = ['path=/', 'path=/']",
            ["step 2 of the sequence, path=/, did not happen after exchange 1"]
        ),
        (
            "sequence = ['path=/none']",
            ["step 1 of the sequence, path=/none, did not happen at all"]
        ),
    ])
    func `an expectation reports each condition that is not met, and nothing if it holds`(
        text: String, problems: [String]
    ) throws {
        #expect(try AssertionStore(AssertionStore.shop).problems(text) == problems)
    }

    @Test(arguments: [
        ("\"user.id\" = 7", nil),
        ("\"user.id\" = 7.0", nil),
        ("\"user.rate\" = 1.5", nil),
        ("\"user.roles\" = [\"a\", \"b\"]", nil),
        ("\"user.roles[1]\" = \"b\"", nil),
        ("\"user.roles\" = { length = \">=1\" }", nil),
        ("\"user.mail\" = { matches = '@', type = \"string\" }", nil),
        ("\"user.note\" = { exists = true, type = \"null\" }", nil),
        ("\"user.none\" = { exists = false }", nil),
        ("\"user.id\" = 8", "json user.id: expected 8, found 7"),
        ("\"user.id\" = \"7\"", "json user.id: expected \"7\", found 7"),
        ("\"user.none\" = 1", "json user.none: there is no such value"),
        ("\"user.roles\" = { length = 3 }", "json user.roles: expected a length of 3, found 2"),
        ("\"user.id\" = { length = 1 }", "json user.id: expected a length of 1, found 7"),
        (
            "\"user.mail\" = { matches = '^b' }",
            "json user.mail: expected text matching ^b, found \"ann@shop.test\""
        ),
        ("\"token\" = { exists = false }", "json token: there is such a value"),
        ("\"token\" = { type = \"number\" }", "json token: expected number, found a secret"),
    ])
    func `a JSON expectation checks values, lengths, types, patterns and existence`(
        check: String, problem: String?
    ) throws {
        let text = "when = 'path=/me'\njson = { \(check) }"
        let problems = try AssertionStore(AssertionStore.shop).problems(text)
        #expect(problems == [problem].compactMap { $0 })
    }

    @Test func `a JSON expectation fails for a response that is not JSON or is incomplete`() throws
    {
        var cut = Exchange.sample(2, "/b", type: "application/json", body: "{}")
        cut.response?.body.byteCount = 9
        let store = try AssertionStore([.sample(1, "/a", body: "{}x"), cut])
        let problems = try store.problems("when = 'path~^/'\njson = { \"a\" = 1 }")
        #expect(
            problems == [
                "the response is not JSON",
                "the response is longer than what is stored or compared",
            ])
    }

    @Test func `an empty assertion scope is reported as failed even if the expected count is zero`()
        throws
    {
        let text = "scope = 'tag=run'\n[[expect]]\nname = 'a'\nwhen = 'path=/'\ncount = 0\n"
        let results = try AssertionStore(AssertionStore.shop).results(text)
        #expect(results.map(\.holds) == [false, true])
        #expect(
            results[0].problems.first?.message
                == "the scope tag=run has no exchanges: did the client use the proxy?")
    }

    @Test func `expectations apply only to the exchanges in the given scope`() throws {
        let text = "scope = 'path=/me or path=/cart'\n[[expect]]\nname = 'a'\nwhen = 'method=GET'\n"
        let store = try AssertionStore(AssertionStore.shop)
        #expect(try store.results(text).last?.matchedCount == 2)
        #expect(try store.results(text, scope: "path=/").last?.matchedCount == 1)
    }

    @Test func `the TAP report lists ten exchanges of a failed expectation and counts them all`()
        throws
    {
        let store = try AssertionStore((1...12).map { .sample($0, "/x", status: 500) })
        let results = try store.results(
            "[[expect]]\nname = 'a'\nwhen = 'path=/x'\nevery = 'method=GET status<500'")
        let report = AssertionReport(file: "a.toml", results: results)
        let problem = try #require(results.last?.problems.first)
        #expect(problem.rowCount == 12 && problem.part == "status<500")
        #expect(report.failedExchanges.map(\.rawValue) == Array(1...12))
        let tap = String(decoding: TAPReport.bytes(report), as: UTF8.self)
        #expect(tap.contains(#""exchanges":["1","2","3","4","5","6","7","8","9","10"]"#))
        #expect(tap.contains(#""exchange_count":12"#))
    }

    @Test func `the text report hides secrets in the URLs of exchanges`() throws {
        let store = try AssertionStore([.sample(1, "/x?token=s3cret&page=2", status: 500)])
        let results = try store.results(
            "[[expect]]\nname = 'a'\nwhen = 'path=/x'\nevery = 'status<500'")
        let report = AssertionReport(file: "a.toml", results: results)
        let text = AssertionText.lines(report).map(\.text).joined(separator: "\n")
        #expect(text.contains("page=2") && !text.contains("s3cret"), "\(text)")
    }

    @Test func `a failed expectation names the part of its filter that no exchange matches`() throws
    {
        let store = try AssertionStore(AssertionStore.shop)
        let results = try store.results(
            "[[expect]]\nname = 'a'\nwhen = 'method=GET path=/nowhere status=200'")
        #expect(results.last?.problems.first?.part == "path=/nowhere")
    }
}

struct CountRangeTests {
    private static let ranges: [(range: CountRange, phrase: String, toml: String)] = [
        (CountRange(lower: 2, upper: 2), "2", "2"),
        (CountRange(lower: 0, upper: 0), "0", "0"),
        (CountRange(lower: 1, upper: 3), "1 to 3", "\"1..3\""),
        (CountRange(lower: 0, upper: 3), "at most 3", "\"<=3\""),
        (CountRange(lower: 4, upper: nil), "at least 4", "\">=4\""),
        (.some, "at least 1", "\">=1\""),
    ]

    @Test(arguments: ranges)
    func `an expected count is described in a phrase and survives being written to TOML`(
        range: CountRange, phrase: String, toml: String
    ) throws {
        #expect(range.description == phrase)
        #expect(range.tomlText == toml)
        let text = "[[expect]]\nname = 'a'\nwhen = 'path=/'\ncount = \(range.tomlText)\n"
        let read = try AssertionFile.read(text, file: "a.toml", now: 0)
        #expect(read.expectations.first?.count == range)
    }

    @Test func `an expected count range includes both its ends`() {
        let range = CountRange(lower: 2, upper: 4)
        #expect((0...6).filter(range.contains) == [2, 3, 4])
        #expect(!CountRange.some.contains(0) && CountRange.some.contains(.max))
    }

    @Test(arguments: ["-1", "\"two\"", "1.5", "true", "[1]", "{ min = 1 }"])
    func `an expected count of a wrong type or value is rejected, with the line of the error`(
        count: String
    ) {
        let text = "[[expect]]\nname = 'a'\nwhen = 'path=/'\ncount = \(count)\n"
        #expect {
            try AssertionFile.read(text, file: "a.toml", now: 0)
        } throws: { error in
            let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? []
            return problems.count == 1 && problems[0].hasPrefix("a.toml:4: ")
                && problems[0].contains("expected a number such as 2")
        }
    }
}

/// The 95th percentile of durations. A sample with number n takes n times 10 ms.
struct DurationExpectationTests {
    private func problems(_ numbers: [Int64], _ limit: String) throws -> [String] {
        try AssertionStore(numbers.map { .sample($0, "/a") })
            .problems("when = 'path=/a'\np95_ms = \(limit)")
    }

    @Test
    func `a 95th percentile equal to p95_ms passes, and p95_ms may be fractional or very large`()
        throws
    {
        #expect(try problems([1], "10.0") == [])
        #expect(
            try problems([1], "9.999") == ["the 95th percentile is 10 ms, more than 9.999 ms"])
        #expect(try problems([1], "1e300") == [])
    }

    @Test func `a failed p95_ms expectation names the exchanges that took longer`() throws {
        let store = try AssertionStore([.sample(1, "/a"), .sample(7, "/a"), .sample(9, "/a")])
        let results = try store.results(
            "[[expect]]\nname = 'a'\nwhen = 'path=/a'\np95_ms = 20")
        let problem = try #require(results.last?.problems.first)
        #expect(problem.rows.map(\.idText) == ["2", "3"] && problem.part == "p95_ms")
        #expect(results.last?.slowestNs == 90_000_000)
    }
}
