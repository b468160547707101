@testable import ProxydAssertions
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydPresentation
import ProxydTestSupport
import Testing

/// The report for people, and the limits of what it names.
struct AssertionTextTests {
    private func report(_ results: [AssertionResult]) -> [String] {
        AssertionText.lines(AssertionReport(file: "a.toml", results: results)).map(\.text)
    }

    @Test func `the text report shows a passed assertion and its remark on a single line`() {
        var golden = AssertionResult(kind: .golden, name: "flow", line: 3)
        golden.matchedCount = 2
        golden.remark = "g.jsonl was written"
        let scope = AssertionResult(kind: .scope, name: "the scope has exchanges")
        #expect(
            report([scope, golden]) == [
                "ok    the scope has exchanges",
                "ok    flow  2 exchanges  g.jsonl was written",
                "all 2 hold",
            ])
    }

    @Test
    func `the text report lists ten exchanges of a failed assertion, then how many more there are`()
        throws
    {
        let store = try AssertionStore((1...12).map { .sample($0, "/x", status: 500) })
        let results = try store.results(
            "[[expect]]\nname = 'errors'\nwhen = 'path=/x'\nevery = 'status<500'")
        let lines = report(results)
        #expect(lines[1] == "FAIL  errors  12 exchanges")
        #expect(lines[2] == "      does not match status<500")
        #expect(lines[3] == "        1  500  GET http://api.test/x  10 ms")
        #expect(lines[13] == "        and 2 more" && lines.count == 15)
        #expect(lines.last == "1 of 2 failed")
    }

    @Test func `the text report shows a failed exchange with its state instead of a status`() throws
    {
        var failed = Exchange.sample(1, "/x")
        failed.response = nil
        failed.state = .failed
        let store = try AssertionStore([failed])
        let results = try store.results("[[expect]]\nname = 'a'\nwhen = 'path=/x'\ncount = 0")
        let lines = report(results)
        #expect(lines.contains { $0.hasPrefix("        1  failed  GET http://api.test/x") })
    }

    @Test func `the message of a failed JSON expectation shortens a long value with an ellipsis`()
        throws
    {
        let text = String(repeating: "a", count: 200)
        let store = try AssertionStore([
            .sample(1, "/x", type: "application/json", body: "{\"n\": \"\(text)\"}")
        ])
        let problem = try #require(
            try store.problems("when = 'path=/x'\njson = { n = 1 }").first)
        #expect(problem.hasPrefix("json n: expected 1, found \"aaa") && problem.hasSuffix("a…"))
        #expect(problem.count < 120)
    }

    @Test func `a JSON expectation fails for an exchange without a response`() throws {
        var silent = Exchange.sample(1, "/x")
        silent.response = nil
        silent.state = .failed
        #expect(
            try AssertionStore([silent]).problems("when = 'path=/x'\njson = { n = 1 }")
                == ["there is no response"])
    }

    @Test func `assertions on an empty store fail and ask whether the client used the proxy`()
        throws
    {
        let results = try AssertionStore([]).results(
            "[[expect]]\nname = 'a'\nwhen = 'path=/x'\ncount = 0")
        #expect(
            results[0].problems.map(\.message)
                == ["the store has no exchanges: did the client use the proxy?"])
    }
}
