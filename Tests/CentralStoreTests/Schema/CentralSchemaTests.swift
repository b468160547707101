import Testing

@testable import ProxydCentralStore

/// The tables of a central store.
@Suite struct CentralSchemaTests {
    private let schema = CentralSchema.migrations.joined()

    /// The lines of a table between its parentheses, and what follows them.
    private func table(_ name: String) throws -> (lines: [String], end: String) {
        let start = try #require(schema.firstRange(of: "CREATE TABLE \(name) (\n"))
        let rest = schema[start.upperBound...]
        let end = try #require(rest.firstRange(of: "\n)"))
        return (
            rest[..<end.lowerBound].split(separator: "\n").map(String.init),
            String(rest[end.upperBound...].prefix { $0 != "\n" })
        )
    }

    @Test func `a migration leads to each version`() {
        #expect(CentralSchema.migrations.count == Int(CentralSchema.version))
    }

    @Test(arguments: CentralSchema.dailyTables)
    func `a table of days is found by time and number`(name: String) throws {
        let (lines, end) = try table(name)
        #expect(end == " PARTITION BY RANGE (started_at);")
        #expect(lines.contains("  started_at timestamptz NOT NULL,"))
        #expect(lines.last?.hasPrefix("  PRIMARY KEY (started_at, ") == true)
    }

    @Test func `no other table has days`() {
        let count = CentralSchema.dailyTables.count
        #expect(schema.ranges(of: "PARTITION BY RANGE").count == count)
        #expect(Set(CentralSchema.dailyTables).count == count)
    }

    /// SQLite compares so, and a filter should find the same.
    @Test(arguments: CentralSchema.dailyTables)
    func `texts are compared byte by byte`(name: String) throws {
        for line in try table(name).lines {
            let words = line.split(separator: " ")
            guard words.count > 1, words[1].hasPrefix("text") else { continue }
            #expect(line.contains(" COLLATE \"C\""), "\(line)")
        }
    }

    @Test func `functions with the rights of the owner keep their search path`() {
        let functions = schema.split(separator: "CREATE FUNCTION ").dropFirst()
            .filter { $0.contains("SECURITY DEFINER") }
        #expect(functions.count == 4)
        for function in functions {
            #expect(function.contains("SECURITY DEFINER SET search_path FROM CURRENT"))
        }
        #expect(CentralSchema.searchPath("web") == "\"web\", pg_temp")
    }

    @Test func `the URL that filters search is the one that has an index`() throws {
        let doubled = CentralSchema.url.replacing("'", with: "''")
        #expect(schema.contains("USING gin ((lower(\(doubled))) %I.gin_trgm_ops)', place);"))
        // The text of the index is a format, in which a percent sign begins a name.
        #expect(!CentralSchema.url.contains("%"))
        #expect(try WrittenFilter("word").sql == "lower(\(CentralSchema.url)) LIKE $1")
    }
}
