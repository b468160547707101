import ProxydFilterTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydFilter

/// The rules that are left for a request are found with it.
@Suite struct FilterIndexTests {
    private func candidates(_ filters: [String], _ row: FilterRow) throws -> [Int] {
        let parsed = try filters.enumerated().map { ($0, try Filter.parse($1, now: 0)) }
        return FilterIndex(parsed).candidates(row.text)
    }

    private func row(_ path: String, query: String? = nil) -> FilterRow {
        var row = FilterRow()
        row.texts[.path] = path
        row.texts[.query] = query
        return row
    }

    @Test(arguments: [
        "path:/users", "path:/USERS/7", "path=/Users/7", "path~^/users/\\d+$", "/users",
        "url:users",
        "method=GET", "method=GET path:/users", "(path:/orders or path:/users)",
        "path:/users not query:x", "query:page=2", "path:/users status>=500",
        "path:/orders or status>=500", "not path:/orders", "status=200", "host:example", "",
        "path~users|orders", "path:\"\"",
    ])
    func `a filter that may select a request is among its candidates`(filter: String) throws {
        let row = row("/users/7", query: "page=2")
        #expect(try candidates(["path:/never", filter, "method=PUT"], row) == [1])
    }

    @Test(arguments: [
        "path:/orders", "path=/users/77", "path~^/orders", "orders.test", "method=DELETE",
        "path:/orders method=GET", "(path:/orders or path:/carts)", "query:page=3",
        "path:/orders status>=500",
    ])
    func `a filter that requires a text which a request lacks is not among its candidates`(
        filter: String
    ) throws {
        #expect(try candidates([filter], row("/users/7", query: "page=2")) == [])
    }

    @Test func `candidates are found if their texts overlap, contain each other or are equal`()
        throws
    {
        let filters = ["path:abcd", "path:bc", "path:bcx", "path:cd", "path:bc", "path:d/ab"]
        #expect(try candidates(filters, row("/abcd/")) == [0, 1, 3, 4])
        #expect(try candidates(filters, row("/abcx")) == [1, 2, 4])
        #expect(try candidates(filters, row("/cd/abc")) == [1, 3, 4, 5])
        #expect(try candidates(filters, row("/b/c/d")) == [])
    }

    @Test(arguments: 0..<4)
    func `every random filter that selects a random exchange is among its candidates`(seed: Int)
        throws
    {
        var random = SplitMix(seed: UInt64(seed))
        let filters = try (0..<300).map { _ in
            try Filter.parse(RandomFilters.filter(depth: 2, &random), now: 50_000_000_000)
        }
        let index = FilterIndex(Array(filters.enumerated().map { ($0.offset, $0.element) }))
        var foundCount = 0
        for id in 1...60 {
            let row = RandomFilters.row(id: Int64(id), &random)
            let found = Set(index.candidates(row.text))
            for (position, filter) in filters.enumerated() where filter.matches(row) {
                #expect(found.contains(position), "\(filter.text)")
            }
            foundCount += found.count
        }
        #expect(foundCount < 60 * 300)
    }
}
