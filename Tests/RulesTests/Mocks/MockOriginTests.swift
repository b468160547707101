import ProxydHTTPModel
import Testing

@testable import ProxydRules

/// Requests that name no server are answered from the captures of all servers.
struct MockOriginTests {
    private func table(_ urls: [String], order: MockOrder) throws -> MockTable {
        var table = MockTable(try MockMatching(), order: order)
        for (index, url) in urls.enumerated() {
            table.add(MockRequest.of("GET", url), id: Int64(index + 1))
        }
        return table
    }

    @Test
    func `with the order 'once' a mock serves all servers' captures, one server after another`()
        throws
    {
        let urls = ["http://a.test/x", "http://b.test/x", "http://a.test/x"]
        var table = try table(urls, order: .once)
        let request = MockRequest.of("GET", "http://127.0.0.1:3000/x")
        let answers = (0..<4).map { _ in table.answer(to: request, anyOrigin: true) }
        #expect(
            answers == [.capture(1), .capture(3), .capture(2), .unmatched(.usedUp(last: 2))])
        #expect(table.servedCount == 3 && table.unmatchedCount == 1)
        #expect(table.neverServed.isEmpty)
    }

    @Test
    func `a mock reports that one server's captures are used up, not how another server's differ`()
        throws
    {
        var table = try table(["http://a.test/x", "http://b.test/x?q=1"], order: .once)
        let request = MockRequest.of("GET", "http://127.0.0.1:3000/x")
        #expect(table.answer(to: request, anyOrigin: true) == .capture(1))
        #expect(table.answer(to: request, anyOrigin: true) == .unmatched(.usedUp(last: 1)))
    }

    @Test func `for a request that names its server, a mock serves no captures of other servers`()
        throws
    {
        var table = try table(["http://a.test/x"], order: .thenLast)
        let request = MockRequest.of("GET", "http://127.0.0.1:3000/x")
        #expect(!table.hasPlace(of: request) && table.hasPlace(of: request, anyOrigin: true))
        #expect(table.answer(to: request) == .unmatched(.nothingAlike))
        #expect(table.neverServed == [1])
    }

    @Test
    func `resetting a mock makes it serve the first capture again and sets its counts to zero`()
        throws
    {
        var table = try table(["http://a.test/x", "http://a.test/x"], order: .once)
        let request = MockRequest.of("GET", "http://a.test/x")
        for id: Int64 in [1, 2] { #expect(table.answer(to: request) == .capture(id)) }
        table.startOver()
        #expect(table.neverServed == [1, 2])
        #expect(table.servedCount == 0 && table.unmatchedCount == 0)
        #expect(table.answer(to: request) == .capture(1))
    }

    @Test(arguments: [
        ("1", "1e0"), ("1.0", "1e0"), ("10e-1", "1e0"), ("-0.0", "0"), ("0E9", "0"),
        ("120", "12e1"), ("0.0120", "12e-3"), ("1.5E+3", "15e2"), ("-2", "-2e0"),
        ("1e1152921504606846977", "1e1152921504606846977"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ])
    func `mocks normalise JSON numbers to one spelling before comparing them`(
        _ text: String, _ wanted: String
    ) {
        #expect(MockNumber.normalised(text) == wanted)
    }

    @Test(
        arguments: [
            (["Accept"], [], MockMatching.Mistake.List.match, 0),
            (["header:A", "header:"], [], .match, 1), (["header:a b"], [], .match, 0),
            (["query:a"], [], .match, 0), ([], ["query:a", "header:A"], .ignore, 1),
            ([], ["form:"], .ignore, 0), ([], ["json:a["], .ignore, 0), ([], [""], .ignore, 0),
        ] as [([String], [String], MockMatching.Mistake.List, Int)])
    func `the first invalid entry of a mock's match or ignore list is reported`(
        _ match: [String], _ ignore: [String], _ list: MockMatching.Mistake.List, _ index: Int
    ) {
        let mistake = #expect(throws: MockMatching.Mistake.self) {
            _ = try MockMatching(match: match, ignore: ignore)
        }
        #expect(mistake?.list == list && mistake?.index == index)
        #expect(mistake?.message.contains((match + ignore)[index].dropFirst(5)) == true)
    }
}
