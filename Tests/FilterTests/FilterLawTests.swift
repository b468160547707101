import ProxydFilter
import ProxydFilterTestSupport
import ProxydTestSupport
import Testing

/// What holds for all filters, whatever they are.
@Suite struct FilterLawTests {
    private static let now: Int64 = 50_000_000_000

    /// Random filters and rows; `check` gets two filters as text, and the rows.
    private func forAll(
        _ seed: Int, _ check: (_ a: String, _ b: String, [FilterRow]) throws -> Void
    ) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let rows = (1...40).map { RandomFilters.row(id: Int64($0), &generator) }
        for _ in 0..<150 {
            let a = RandomFilters.filter(depth: 2, &generator)
            let b = RandomFilters.filter(depth: 2, &generator)
            try check(a, b, rows)
        }
    }

    /// The numbers of the rows that match.
    private func matches(_ text: String, _ rows: [FilterRow]) throws -> Set<Int64> {
        matches(try Filter.parse(text, now: Self.now), rows)
    }

    /// Two filters match the same rows.
    private func expectSame(
        _ left: String, _ right: String, _ rows: [FilterRow],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (found, wanted) = (try matches(left, rows), try matches(right, rows))
        #expect(found == wanted, "\(left)", sourceLocation: sourceLocation)
    }

    private func matches(_ filter: Filter, _ rows: [FilterRow]) -> Set<Int64> {
        Set(rows.filter(filter.matches).map(\.id))
    }

    @Test(arguments: 0..<4)
    func `'and', 'or' and 'not' in filters match the intersection, union and complement of rows`(
        seed: Int
    ) throws {
        try forAll(seed) { a, b, rows in
            let all = Set(rows.map(\.id))
            let (left, right) = (try matches(a, rows), try matches(b, rows))
            #expect(try matches("(\(a)) (\(b))", rows) == left.intersection(right))
            #expect(try matches("(\(a)) and (\(b))", rows) == left.intersection(right))
            #expect(try matches("(\(a)) or (\(b))", rows) == left.union(right))
            #expect(try matches("not (\(a))", rows) == all.subtracting(left), "\(a)")
            #expect(try matches("!(\(a))", rows) == all.subtracting(left), "\(a)")
        }
    }

    @Test(arguments: 0..<4)
    func `in filters, 'not' binds tighter than 'and', and 'and' binds tighter than 'or'`(seed: Int)
        throws
    {
        try forAll(seed) { a, b, rows in
            let (x, y) = ("(\(a))", "(\(b))")
            try expectSame("\(x) or \(y) \(x)", "\(x) or (\(y) \(x))", rows)
            try expectSame("not \(x) \(y)", "(not \(x)) \(y)", rows)
            try expectSame("!\(x) | \(y)", "(!\(x)) or \(y)", rows)
        }
    }

    @Test(arguments: 0..<4)
    func `repeating, reordering and negating the parts of a filter follows Boolean laws`(seed: Int)
        throws
    {
        try forAll(seed) { a, b, rows in
            let (x, y) = ("(\(a))", "(\(b))")
            try expectSame("\(x) \(x)", a, rows)
            try expectSame("\(x) or \(x)", a, rows)
            try expectSame("\(x) \(y)", "\(y) \(x)", rows)
            try expectSame("not (\(x) \(y))", "not \(x) or not \(y)", rows)
            try expectSame("not (\(x) or \(y))", "not \(x) not \(y)", rows)
        }
    }

    @Test(arguments: 0..<4)
    func `a filter written as text is parsed back to an equivalent filter`(seed: Int) throws {
        try forAll(seed) { a, b, rows in
            let filters = [try Filter.parse(a, now: Self.now), try Filter.parse(b, now: Self.now)]
            for filter in filters {
                #expect(try matches(filter.text, rows) == matches(filter, rows), "\(filter.text)")
                let negated = filter.negated
                #expect(try matches(negated.text, rows) == matches(negated, rows))
                #expect(matches(negated.negated, rows) == matches(filter, rows))
            }
            let both = Filter.all(filters)
            #expect(
                matches(both, rows)
                    == matches(filters[0], rows).intersection(matches(filters[1], rows)))
            #expect(try matches(both.text, rows) == matches(both, rows), "\(both.text)")
        }
    }

    @Test(arguments: 0..<4)
    func `the parts of a filter together match the same rows as the filter`(seed: Int) throws {
        try forAll(seed) { a, b, rows in
            let text = "(\(a)) \(b)"
            let parts = Filter.parts(of: text)
            let found = try parts.map { try matches($0, rows) }
            let all = Set(rows.map(\.id))
            #expect(
                found.reduce(all) { $0.intersection($1) } == (try matches(text, rows)), "\(text)")
        }
    }

    @Test(arguments: 0..<4)
    func `a negated filter operator matches exactly the rows that the plain operator does not`(
        seed: Int
    ) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let rows = (1...60).map { RandomFilters.row(id: Int64($0), &generator) }
        let all = Set(rows.map(\.id))
        for test in [
            "host=a.b", "host:b", "host~^a", "status=404", "status>300", "size<=10", "duration<1s",
            "note:a", "tag=a", "param.a=1", "header.a:b", "body:a", "time<1970-01-01T00:00:50Z",
        ] {
            let index = try #require(test.firstIndex { "=:~<>".contains($0) })
            let opposite = test[..<index] + "!" + test[index...]
            #expect(
                try matches(String(opposite), rows) == all.subtracting(matches(test, rows)),
                "\(opposite)")
        }
    }
}
