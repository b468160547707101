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

    @Test func `the central schema has one migration for each version`() {
        #expect(CentralSchema.migrations.count == Int(CentralSchema.version))
    }

    @Test(arguments: CentralSchema.dailyTables)
    func `a daily table is partitioned by started_at, which also leads its primary key`(
        name: String
    ) throws {
        let (lines, end) = try table(name)
        #expect(end == " PARTITION BY RANGE (started_at);")
        #expect(lines.contains("  started_at timestamptz NOT NULL,"))
        #expect(lines.last?.hasPrefix("  PRIMARY KEY (started_at, ") == true)
    }

    @Test func `only the daily tables of the central schema are partitioned`() {
        let count = CentralSchema.dailyTables.count
        #expect(schema.ranges(of: "PARTITION BY RANGE").count == count)
        #expect(Set(CentralSchema.dailyTables).count == count)
    }

    /// SQLite compares so, and a filter should find the same.
    @Test(arguments: CentralSchema.dailyTables)
    func `text columns of daily tables use a byte-by-byte collation`(name: String) throws {
        for line in try table(name).lines {
            let words = line.split(separator: " ")
            guard words.count > 1, words[1].hasPrefix("text") else { continue }
            #expect(line.contains(" COLLATE \"C\""), "\(line)")
        }
    }

    @Test func `SECURITY DEFINER functions of the central schema have a fixed search_path`() {
        let functions = schema.split(separator: "CREATE FUNCTION ").dropFirst()
            .filter { $0.contains("SECURITY DEFINER") }
        #expect(functions.count == 4)
        for function in functions {
            #expect(function.contains("SECURITY DEFINER SET search_path FROM CURRENT"))
        }
        #expect(CentralSchema.searchPath("web") == "\"web\", pg_temp")
    }

    @Test func `URL filters use the same SQL expression as the index on URLs`() throws {
        let doubled = CentralSchema.url.replacing("'", with: "''")
        #expect(schema.contains("USING gin ((lower(\(doubled))) %I.gin_trgm_ops)', place);"))
        // The text of the index is a format, in which a percent sign begins a name.
        #expect(!CentralSchema.url.contains("%"))
        #expect(try WrittenFilter("word").sql == "lower(\(CentralSchema.url)) LIKE $1")
    }
}
