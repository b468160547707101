import ProxydAssertions
import ProxydFilter
import ProxydHTTPModel
import ProxydRules
import ProxydTestSupport
import Testing

struct ComparisonTests {
    private func comparison(
        _ before: [Exchange], _ after: [Exchange], ignore: [String] = [], anyServer: Bool = false
    ) throws -> TrafficComparison {
        let matching = try MockMatching(ignore: ignore)
        let sides = try [before, after].map { exchanges in
            try ComparedExchange.side(
                AssertionStore(exchanges).reader, .everything, matching, anyServer: anyServer)
        }
        return TrafficComparison(sides[0], sides[1])
    }

    private func told(_ comparison: TrafficComparison) -> [String] {
        comparison.entries.map { entry in
            ([entry.kind.rawValue, entry.title] + entry.details).joined(separator: " ")
        }
    }

    @Test func `a traffic comparison finds no difference if only the order of exchanges differs`()
        throws
    {
        let shop = AssertionStore.shop
        let same = try comparison(shop, shop.reversed())
        #expect(same.isEqual && same.sameCount == 4)
    }

    @Test func `a traffic comparison reports new, missing and changed requests`() throws {
        let before = [
            Exchange.sample(1, "/gone"), .sample(2, "/status"), .sample(3, "/body", body: "a"),
            .sample(4, "/json", type: "application/json", body: #"{"a":1,"b":2}"#),
        ]
        let after = [
            Exchange.sample(1, "/new"), .sample(2, "/status", status: 404),
            .sample(3, "/body", body: "b"),
            .sample(4, "/json", type: "application/json", body: #"{"b":2.0,"a":1}"#),
        ]
        let found = try comparison(before, after)
        #expect(
            told(found) == [
                "gone GET http://api.test/gone",
                "changed GET http://api.test/status status 200 → 404",
                "changed GET http://api.test/body body", "new GET http://api.test/new",
            ])
        #expect(found.sameCount == 1)
    }

    @Test
    func `a request is reported as slower if its median duration grows by over 50% and 20 ms`()
        throws
    {
        // Exchange n takes n times 10 ms.
        let before = [Exchange.sample(6, "/a"), .sample(6, "/a"), .sample(90, "/a")]
        let slow = [Exchange.sample(2, "/a"), .sample(10, "/a"), .sample(11, "/a")]
        #expect(
            told(try comparison(before, slow)) == ["slower GET http://api.test/a 60 ms → 100 ms"])
        #expect(try comparison(slow, before).isEqual)
        #expect(try comparison([.sample(1, "/a")], [.sample(2, "/a")]).isEqual)
    }

    @Test
    func `a traffic comparison ignores query parameter order, and whole parameters on request`()
        throws
    {
        let before = [Exchange.sample(1, "/a?x=1&y=2&t=1")]
        let after = [Exchange.sample(1, "/a?y=2&x=1&t=2")]
        #expect(try comparison(before, after).count(.new) == 1)
        #expect(try comparison(before, after, ignore: ["query:t"]).isEqual)
    }

    @Test
    func `a traffic comparison treats requests to different servers as equal only if asked to`()
        throws
    {
        var other = Exchange.sample(1, "/a")
        other.request.url = RawURL(
            scheme: "https", host: "staging.test", port: 8_443, origin: Array("/a".utf8))
        #expect(try !comparison([.sample(1, "/a")], [other]).isEqual)
        #expect(try comparison([.sample(1, "/a")], [other], anyServer: true).isEqual)
    }

    @Test
    func `a traffic comparison reports an added duplicate request as new, a dropped one as gone`()
        throws
    {
        let one = [Exchange.sample(1, "/a")], two = [Exchange.sample(1, "/a"), .sample(1, "/a")]
        #expect(told(try comparison(one, two)) == ["new GET http://api.test/a"])
        #expect(told(try comparison(two, one)) == ["gone GET http://api.test/a"])
    }
}
