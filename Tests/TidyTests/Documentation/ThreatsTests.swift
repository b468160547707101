import Testing

/// docs/THREATS.md says what is done against each threat, and which tests show it.
struct ThreatsTests {
    /// Identifier, threat, what is done, and the tests.
    private func rows() throws -> [[String]] {
        try DocumentTable.rows(of: "docs/THREATS.md") { $0.wholeMatch(of: /T[0-9]+/) != nil }
    }

    @Test func `the threat document lists every threat once, in order`() throws {
        let rows = try rows()
        #expect(rows.count >= 56)
        #expect(rows.map { $0[0] } == (1...rows.count).map { "T\($0)" })
        #expect(rows.allSatisfy { $0.count == 4 })
    }

    @Test
    func `every threat in the threat document names existing tests, or says that there are none`()
        throws
    {
        for row in try rows() where row.last?.hasPrefix("no test") != true {
            NamedTests.expectTests(in: row.last ?? "", of: row[0])
        }
    }
}
