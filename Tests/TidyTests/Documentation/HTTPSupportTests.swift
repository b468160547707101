import Testing

/// docs/HTTP-SUPPORT.md says what the RFCs of HTTP ask of us, and which tests show it.
struct HTTPSupportTests {
    /// Number, level, requirement, what is done, and the tests.
    private func rows() throws -> [[String]] {
        try DocumentTable.rows(of: "docs/HTTP-SUPPORT.md") {
            $0.wholeMatch(of: /[0-9]+[a-z]?/) != nil
        }
    }

    @Test func `the 171 requirements are there once, in order, each with its level`() throws {
        let rows = try rows()
        let numbers = (1...79).map(String.init) + ["79a"] + (80...170).map(String.init)
        #expect(rows.map { $0[0] } == numbers)
        #expect(rows.allSatisfy { $0.count == 5 })
        #expect(rows.allSatisfy { ["M", "S", "M, S"].contains($0[1]) })
    }

    @Test func `every requirement names tests that exist`() throws {
        for row in try rows() { NamedTests.expectTests(in: row.last ?? "", of: "row \(row[0])") }
    }
}
