import Foundation
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

    @Test func `the client features document lists every feature of every area once, in order`()
        throws
    {
        let expected = Self.areas.flatMap { area, count in
            (1...count).map { $0 < 10 ? "\(area)0\($0)" : "\(area)\($0)" }
        }
        #expect(expected.count == 220)
        #expect(try rows().map { $0[0] } == expected)
    }

    @Test func `every listed client feature names existing tests or the reason why it was retired`()
        throws
    {
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

/// docs/HTTP-SUPPORT.md says what the RFCs of HTTP ask of us, and which tests show it.
struct HTTPSupportTests {
    /// Number, level, requirement, what is done, and the tests.
    private func rows() throws -> [[String]] {
        try DocumentTable.rows(of: "docs/HTTP-SUPPORT.md") {
            $0.wholeMatch(of: /[0-9]+[a-z]?/) != nil
        }
    }

    @Test
    func `the HTTP support document lists each requirement once, in order and with its level`()
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

/// Every test of the repository by the name that the documentation calls it: `Suite: name`.
enum NamedTests {
    static let all: Set<String> = Set(SourceFile.tests.flatMap(names))

    /// A suite's beginning; a name of several words is in backticks.
    private static var suite: Regex<(Substring, Substring?, Substring?)> {
        /(?:@Suite(?:\(.*\))? )?(?:struct|extension) (?:`([^`]+)`|(\w+))/
    }

    private static func names(in file: SourceFile) -> [String] {
        var suite = ""
        return file.lines.compactMap { line in
            // Matching every line would take a minute.
            let mayBegin = ["struct ", "extension ", "@Suite"].contains { line.hasPrefix($0) }
            if mayBegin, let found = line.prefixMatch(of: Self.suite) {
                suite = String(found.1 ?? found.2 ?? "")
            }
            let parts = line.split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].hasSuffix("func ") else { return nil }
            return "\(suite): \(parts[1])"
        }
    }

    /// Whether a cell of a table names tests, and all of them are there.
    static func expectTests(
        in cell: String, of row: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let quoted = cell.matches(of: /`([^`]+)`/).map { String($0.1) }
        #expect(!quoted.isEmpty, "\(row) names no test", sourceLocation: sourceLocation)
        for name in quoted where !all.contains(name) {
            Issue.record("\(row): there is no test \(name)", sourceLocation: sourceLocation)
        }
    }
}

/// The rows of a document's tables, as cells without the white space around them.
enum DocumentTable {
    /// The rows whose first cell is an identifier such as `A01`, `T7` or `12`.
    static func rows(of document: String, where isIdentifier: (String) -> Bool) throws -> [[String]]
    {
        let text = try String(
            contentsOf: SourceFile.root.appending(path: document), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.first.map(isIdentifier) == true ? cells : nil
        }
    }
}
