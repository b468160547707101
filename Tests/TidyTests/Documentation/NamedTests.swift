import Testing

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
