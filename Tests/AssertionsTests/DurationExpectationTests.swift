import ProxydCaptureModel
import ProxydAssertions
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// The 95th percentile of durations. A sample with number n takes n times 10 ms.
struct DurationExpectationTests {
    private func problems(_ numbers: [Int64], _ limit: String) throws -> [String] {
        try AssertionStore(numbers.map { .sample($0, "/a") })
            .problems("when = 'path=/a'\np95_ms = \(limit)")
    }

    @Test
    func `a 95th percentile equal to p95_ms is accepted, and p95_ms may be a fraction or huge`()
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
