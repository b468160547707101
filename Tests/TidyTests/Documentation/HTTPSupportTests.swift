import Testing

/// docs/HTTP-SUPPORT.md says what the RFCs of HTTP ask of us, and which tests show it.
struct HTTPSupportTests {
    /// Number, level, requirement, what is done, and the tests.
    private func rows() throws -> [[String]] {
        try DocumentTable.rows(of: "docs/HTTP-SUPPORT.md") {
            $0.wholeMatch(of: /[0-9]+[a-z]?/) != nil
        }
    }

    @Test
    func `the HTTP support document lists its 171 requirements once, in order, with their levels`()
        throws
    {
        let rows = try rows()
        let numbers = (1...79).map(String.init) + ["79a"] + (80...170).map(String.init)
        #expect(rows.map { $0[0] } == numbers)
        #expect(rows.allSatisfy { $0.count == 5 })
        #expect(rows.allSatisfy { ["M", "S", "M, S"].contains($0[1]) })
    }

    @Test func `every requirement in the HTTP support document names existing tests`() throws {
        for row in try rows() { NamedTests.expectTests(in: row.last ?? "", of: "row \(row[0])") }
    }
}
