import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Statements that users write.
@Suite struct CentralReaderSQLTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader

    init() { reader = CentralReader(ScriptedServer(connection).link) }

    /// What a statement passed on.
    private final class Passed {
        var columns: [[String]] = []
        var rows: [[SQLValue]] = []
    }

    /// Values as texts, in columns with names.
    private func reply(
        _ columns: [(name: String, type: UInt32)], _ rows: [String?]...
    ) -> ScriptedConnection.Reply {
        let columns = columns.map { CentralRow.Column(name: $0.name, type: $0.type) }
        return ScriptedConnection.Reply(
            columns: columns,
            rows: rows.map { values in
                CentralRow(columns: columns, values: values.map { $0.map { Array($0.utf8) } })
            })
    }

    private func run(_ text: String, rowCountMax: Int = .max) throws -> Passed {
        let result = Passed()
        try reader.sql(
            text, onColumns: { result.columns.append($0) },
            onRow: { row in
                result.rows.append(row)
                return result.rows.count < rowCountMax
            })
        return result
    }

    @Test func `a user's SQL statement runs in a read-only transaction that is rolled back`() throws
    {
        connection.answer("SELECT a", reply([("a", 25), ("b", 20)], ["x", nil], ["y", "1"]))
        let result = try run("SELECT a, b FROM t")
        #expect(result.columns == [["a", "b"]])
        #expect(result.rows == [[.text("x"), .null], [.text("y"), .integer(1)]])
        let texts = ["BEGIN READ ONLY", "SELECT a, b FROM t", "ROLLBACK"]
        #expect(connection.requests.map(\.sql) == texts)
        let statement = CentralStatement("SELECT a, b FROM t", hasTextResults: true)
        #expect(connection.requests.dropFirst().first?.statement == statement)
    }

    @Test(
        arguments: [
            (20, "-9223372036854775808", .integer(.min)), (23, "7", .integer(7)),
            (21, "-7", .integer(-7)), (20, "9223372036854775808", .text("9223372036854775808")),
            (701, "1.5", .real(1.5)), (700, "1e10", .real(1e10)), (701, "-0", .real(-0.0)),
            (17, "\\x00ff", .blob([0, 255])), (17, "\\x", .blob([])), (17, "\\x0", .text("\\x0")),
            (17, "abc", .text("abc")), (16, "t", .text("t")), (1700, "1.50", .text("1.50")),
            (1184, "2025-11-21 08:00:00+00", .text("2025-11-21 08:00:00+00")),
            (25, "", .text("")),
        ] as [(UInt32, String, SQLValue)])
    func `result values of a user's SQL are converted according to their column types`(
        type: UInt32, text: String, value: SQLValue
    ) throws {
        connection.answer("SELECT a", reply([("a", type)], [text]))
        #expect(try run("SELECT a").rows == [[value]])
    }

    @Test func `column names of a user's SQL are passed on even if there are no rows`() throws {
        connection.answer("SELECT a", reply([("a", 25)]))
        let result = try run("SELECT a")
        #expect(result.columns == [["a"]] && result.rows == [])
    }

    @Test func `rows of a user's SQL are passed on until the receiver stops`() throws {
        connection.answer("SELECT a", reply([("a", 20)], ["1"], ["2"], ["3"]))
        #expect(try run("SELECT a", rowCountMax: 2).rows == [[.integer(1)], [.integer(2)]])
        #expect(connection.outline.last == "ROLLBACK")
    }

    @Test func `an error in a user's SQL is reported, and the transaction is rolled back`() {
        let error = CentralError.server(code: "25006", message: "cannot execute DELETE")
        connection.answer("DELETE", .failure(error))
        #expect(throws: StoreError.central("cannot execute DELETE (SQLSTATE 25006)")) {
            try run("DELETE FROM exchange")
        }
        #expect(connection.outline.last == "ROLLBACK")
    }

    @Test(arguments: [true, false])
    func `an error thrown by the receiver of SQL results ends the statement`(isOfColumns: Bool) {
        connection.answer("SELECT a", reply([("a", 20)], ["1"], ["2"]))
        var rowCount = 0
        #expect(throws: StoreError.stopped) {
            try reader.sql(
                "SELECT a",
                onColumns: { _ throws(StoreError) in if isOfColumns { throw StoreError.stopped } },
                onRow: { _ throws(StoreError) in
                    rowCount += 1
                    throw StoreError.stopped
                })
        }
        #expect(rowCount == (isOfColumns ? 0 : 1))
        #expect(connection.outline.last == "ROLLBACK")
    }

    /// An idle connection may have been closed, which is found out by its next statement.
    @Test func `no result row of a user's SQL is delivered twice if the connection breaks`() throws
    {
        let second = ScriptedConnection()
        let reader = CentralReader(ScriptedServer(connection, second).link)
        _ = try reader.exchangeCount()
        let whole = reply([("a", 20)], ["1"], ["2"])
        connection.answer("SELECT a", reply([("a", 20)], ["1"]).failing(.connection("gone")))
        second.answer("SELECT a", whole)
        let result = Passed()
        // It may report the error, or go on where it was.
        try? reader.sql(
            "SELECT a", onColumns: { result.columns.append($0) },
            onRow: { row in
                result.rows.append(row)
                return true
            })
        #expect(result.columns == [["a"]])
        #expect(Set(result.rows).count == result.rows.count)
    }
}
