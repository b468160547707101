import Foundation
@testable import proxyctl
import Testing

@Suite struct SQLCommandTests {
    @Test func `when piped, proxyctl sql prints tab-separated rows without a heading`() throws {
        let run = try SampleStore().run(
            "sql", "SELECT id, method, note FROM exchanges WHERE id < 3 ORDER BY id")
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(run.output == "1\tGET\t\n2\tPOST\tthe login\n")
    }

    @Test func `proxyctl sql escapes tabs and line feeds inside values`() throws {
        let run = try SampleStore().run("sql", "SELECT 'a' || char(9) || 'b' || char(10), 2")
        #expect(run.output == "a\\tb\\n\t2\n")
    }

    @Test
    func `proxyctl sql --json prints one object per row, BLOBs as Base64 and infinity as null`()
        throws
    {
        let store = try SampleStore()
        let run = store.run(
            "sql", "--json",
            "SELECT 1 AS i, 1.5 AS r, 'é' AS t, x'00FF' AS b, NULL AS n, 1e999 AS f")
        let row = try #require(try store.objects(run).first)
        #expect(row["i"] as? Int == 1)
        #expect(row["r"] as? Double == 1.5)
        #expect(row["t"] as? String == "é")
        #expect(row["b"] as? String == "AP8=")
        #expect(row["n"] is NSNull)
        #expect(row["f"] is NSNull)
    }

    @Test(arguments: [
        ("SELECT zeroblob(100000000)", "string or blob too big"),
        ("SELECT zeroblob(60000000), zeroblob(60000000)", "a row has more than 64 MiB"),
    ])
    func `proxyctl sql fails if a value or a row is too large for memory`(
        statement: String, problem: String
    ) throws {
        for columns in [nil, 80] {
            let run = try SampleStore().run("sql", statement, columns: columns)
            #expect(run.code == 1 && run.bytes.isEmpty && run.errors.contains(problem))
        }
    }

    @Test
    func `proxyctl sql prints a long BLOB completely when piped, but truncated on a terminal`()
        throws
    {
        let statement = "SELECT CAST(replace(hex(zeroblob(500000)), '0', 'J') AS BLOB)"
        let whole = try SampleStore().run("sql", statement)
        #expect(whole.output == "x'" + String(repeating: "4a", count: 1_000_000) + "'\n")
        let shown = try SampleStore().run(
            "sql", statement, columns: 80, environment: ["NO_COLOR": "1"])
        #expect(shown.lines.last?.hasPrefix("x'4a4a") == true)
        #expect(shown.lines.last?.count == 80)
    }

    @Test func `on a terminal, proxyctl sql prints an aligned table with a heading`() throws {
        let run = try SampleStore().run(
            "sql", "SELECT 5 AS number, 'x' AS text UNION ALL SELECT 1234567, 'yy'", columns: 80,
            environment: ["NO_COLOR": "1"])
        #expect(run.lines == [" number  text", "      5  x", "1234567  yy"])
    }

    @Test func `on a terminal, proxyctl sql prints the heading even if there are no rows`() throws {
        let run = try SampleStore().run(
            "sql", "SELECT id FROM exchange WHERE id < 0", columns: 80,
            environment: ["NO_COLOR": "1"])
        #expect(run.code == 0)
        #expect(run.lines == ["id"])
    }

    @Test(arguments: [
        "DELETE FROM exchange", "UPDATE exchange SET host = 'x'", "DROP TABLE exchange",
        "PRAGMA journal_mode = DELETE", "ATTACH 'x.db' AS x", "SELECT 1; DELETE FROM exchange", "",
    ])
    func `proxyctl sql accepts exactly one statement, and only one that reads`(
        statement: String
    ) throws {
        let store = try SampleStore()
        let run = store.run("sql", statement)
        #expect(run.code == 1)
        #expect(!run.errors.isEmpty)
        #expect(store.run("sql", "SELECT count(*) FROM exchange").output == "6\n")
    }

    @Test func `proxyctl sql says that views cannot be changed, as it does of tables`() throws {
        for statement in ["DELETE FROM exchange", "DELETE FROM exchanges"] {
            let run = try SampleStore().run("sql", statement)
            #expect(run.errors == "proxyctl: only read-only statements are allowed here\n")
        }
    }

    @Test func `proxyctl sql reports SQLite's message for a statement with a syntax error`() throws
    {
        let run = try SampleStore().run("sql", "SELEC 1")
        #expect(run.code == 1)
        #expect(run.errors.contains("syntax error"))
    }
}
