import Foundation
@testable import ProxydAssertions
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydFilter
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydPresentation
import ProxydRules
import ProxydTestSupport
import Testing

/// What people and programs get of a comparison.
struct ComparisonOutputTests {
    private func side(
        _ exchanges: [Exchange], _ filter: Filter = .everything
    ) throws -> ComparedExchange.Side {
        try ComparedExchange.side(
            AssertionStore(exchanges).reader, filter, MockMatching(ignore: []), anyServer: false)
    }

    private func comparison() throws -> TrafficComparison {
        TrafficComparison(
            try side([.sample(1, "/gone"), .sample(2, "/status"), .sample(3, "/same")]),
            try side([.sample(3, "/same"), .sample(2, "/status", status: 500), .sample(1, "/new")])
        )
    }

    @Test func `the text of a traffic comparison lists the differences by kind, then the counts`()
        throws
    {
        #expect(
            try comparison().lines.map(\.text) == [
                "new     GET http://api.test/new  3",
                "gone    GET http://api.test/gone  1",
                "changed GET http://api.test/status  status 200 → 500  2 → 2",
                "1 same, 1 new, 1 gone, 1 changed, 0 slower",
            ])
    }

    @Test
    func `the JSON of a traffic comparison lists the differences, up to a limit if one is given`()
        throws
    {
        let comparison = try comparison()
        let all = try members(comparison.json)
        #expect(all["equal"] as? Bool == false && all["same"] as? Int == 1)
        #expect(
            all["counts"] as? [String: Int] == ["new": 1, "gone": 1, "changed": 1, "slower": 0])
        let differences = try #require(all["differences"] as? [[String: Any]])
        #expect(differences.map { $0["kind"] as? String } == ["gone", "changed", "new"])
        #expect(differences.map { $0["details"] as? [String] } == [[], ["status 200 → 500"], []])
        let some = try members(comparison.json(upTo: 2))
        #expect((some["differences"] as? [Any])?.count == 2)
        #expect(some["truncated"] as? Bool == true && some["untrusted"] as? Bool == true)
        #expect(try members(comparison.json(upTo: 3))["truncated"] as? Bool == false)
    }

    private func members(_ value: JSONValue) throws -> [String: Any] {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(object as? [String: Any])
    }

    @Test func `a traffic comparison reports a filter that matches no exchange or too many`()
        throws
    {
        #expect(try side([]).problem(.everything) == "nothing matches everything")
        let filter = try Filter.parse("path=/none")
        #expect(try side([.sample(1)], filter).problem(filter) == "nothing matches path=/none")
        var many = try side([.sample(1)])
        #expect(many.problem(.everything) == nil)
        many.isCut = true
        #expect(many.problem(filter) == "too many exchanges match path=/none")
    }

    @Test
    func `a traffic comparison skips tunnels and exchanges without a request but counts them`()
        throws
    {
        var tunnel = Exchange.sample(1, "/t")
        tunnel.state = .tunnel
        var silent = Exchange.sample(2, "/s")
        silent.request.head = nil
        silent.state = .failed
        let side = try side([tunnel, silent, .sample(3, "/a")])
        #expect(side.count == 1 && side.skippedCount == 2)
    }

    @Test func `a traffic comparison ignores volatile header fields such as Date and ETag`() throws
    {
        func run(_ fields: [(String, String)]) throws -> ComparedExchange.Side {
            var exchange = Exchange.sample(1, "/a")
            exchange.response?.head = ResponseHead(
                status: 200, reason: "", fields: HeaderFields(fields))
            return try side([exchange])
        }
        let before = try run([("Date", "a"), ("ETag", "1"), ("X-Kind", "k")])
        let without = TrafficComparison(before, try run([("Date", "b"), ("X-Kind", "k")]))
        #expect(without.isEqual)
        let dated = try run([("Date", "b"), ("ETag", "2"), ("X-Kind", "k")])
        #expect(TrafficComparison(before, dated).isEqual)
        let other = try run([("Date", "a"), ("ETag", "1"), ("X-Kind", "other")])
        #expect(TrafficComparison(before, other).entries.map(\.details) == [["header fields"]])
    }

    @Test
    func `an exchange that has a response on only one side of a comparison is reported as changed`()
        throws
    {
        var silent = Exchange.sample(1, "/a")
        silent.response = nil
        silent.state = .failed
        let found = TrafficComparison(try side([.sample(1, "/a")]), try side([silent]))
        let details = try #require(found.entries.first?.details)
        #expect(details.first == "status 200 → none", "\(details)")
    }
}
