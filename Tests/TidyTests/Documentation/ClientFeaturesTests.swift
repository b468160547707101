import Testing

/// The table of the client library's features says what is there.
struct ClientFeaturesTests {
    /// How many rows each area has.
    private static let areas: KeyValuePairs = [
        "A": 25, "B": 22, "C": 28, "D": 14, "E": 11, "F": 7, "G": 14, "H": 8, "I": 9, "J": 6,
        "K": 5, "L": 10, "M": 9, "N": 4, "O": 20, "P": 9, "Q": 19,
    ]

    /// Identifier, what is done, and the test.
    private func rows() throws -> [[String]] {
        try DocumentTable.rows(of: "docs/CLIENT-FEATURES.md") {
            $0.wholeMatch(of: /[A-Z][0-9][0-9]/) != nil
        }
    }

    @Test func `the client features document lists every row of every area once, in order`() throws
    {
        let expected = Self.areas.flatMap { area, count in
            (1...count).map { $0 < 10 ? "\(area)0\($0)" : "\(area)\($0)" }
        }
        #expect(expected.count == 220)
        #expect(try rows().map { $0[0] } == expected)
    }

    @Test func `every client feature names an existing test, or why it was retired`() throws {
        for row in try rows() {
            try #require(row.count == 3, "\(row)")
            if row[2] == "-" {
                #expect(row[1].contains(/^retired( for now)?: \w+/), "\(row[0])")
            } else {
                NamedTests.expectTests(in: row[2], of: row[0])
            }
        }
    }
}
