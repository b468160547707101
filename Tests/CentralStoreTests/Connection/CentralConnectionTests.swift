import ProxydCaptureModel
import ProxydCentralStore
import Testing

/// Transactions and results, over a connection that answers as it was told to.
@Suite struct CentralConnectionTests {
    private static func rows(_ numbers: [Int64?]) -> [CentralRow] {
        numbers.map { number in
            CentralRow(
                columns: [CentralRow.Column(name: "n", type: 20)],
                values: [number.flatMap { CentralValue.integer($0).encoded }])
        }
    }

    // MARK: Transactions

    @Test func `a PostgreSQL transaction is committed and returns the value of its closure`() throws
    {
        let connection = ToldConnection()
        let value = try connection.transaction { () throws(CentralError) -> Int in
            try connection.run("UPDATE a")
            return 7
        }
        #expect(value == 7)
        #expect(connection.texts == ["BEGIN", "UPDATE a", "COMMIT"])
    }

    @Test func `an error in a PostgreSQL transaction rolls it back and is rethrown`() {
        let error = CentralError.server(code: "40001", message: "again")
        let connection = ToldConnection(failures: ["UPDATE b": error])
        #expect(throws: error) {
            try connection.transaction { () throws(CentralError) -> Void in
                try connection.run("UPDATE a")
                try connection.run("UPDATE b")
                try connection.run("UPDATE c")
            }
        }
        #expect(connection.texts == ["BEGIN", "UPDATE a", "UPDATE b", "ROLLBACK"])
    }

    @Test func `a closure that throws before any statement rolls its transaction back`() {
        let connection = ToldConnection()
        #expect(throws: CentralError.cancelled) {
            try connection.transaction { () throws(CentralError) -> Void in
                throw CentralError.cancelled
            }
        }
        #expect(connection.texts == ["BEGIN", "ROLLBACK"])
    }

    @Test func `a transaction whose COMMIT fails is rolled back and throws the error`() {
        let error = CentralError.server(code: "23505", message: "twice")
        let connection = ToldConnection(failures: ["COMMIT": error])
        #expect(throws: error) {
            try connection.transaction { () throws(CentralError) -> Int in 7 }
        }
        #expect(connection.texts == ["BEGIN", "COMMIT", "ROLLBACK"])
    }

    @Test func `a transaction whose BEGIN fails does not run its closure`() {
        let error = CentralError.connection("gone")
        let connection = ToldConnection(failures: ["BEGIN": error])
        var isRun = false
        #expect(throws: error) {
            try connection.transaction { () throws(CentralError) -> Void in isRun = true }
        }
        #expect(!isRun)
        #expect(connection.texts == ["BEGIN"])
    }

    @Test func `if ROLLBACK fails, the first error of the transaction is still thrown`() {
        let error = CentralError.server(code: "57P01", message: "shutting down")
        let connection = ToldConnection(failures: [
            "UPDATE a": error, "ROLLBACK": .connection("gone"),
        ])
        #expect(throws: error) {
            try connection.transaction { () throws(CentralError) -> Void in
                try connection.run("UPDATE a")
            }
        }
        #expect(connection.texts == ["BEGIN", "UPDATE a", "ROLLBACK"])
    }

    // MARK: Results

    @Test func `PostgreSQL rows are decoded in order, and rows that decode to nil are skipped`()
        throws
    {
        let connection = ToldConnection(Self.rows([3, nil, 1, 2]))
        let numbers = try connection.rows("SELECT n", [.text("x"), .null]) { $0.integer(0) }
        #expect(numbers == [3, 1, 2])
        #expect(connection.statements == [CentralStatement("SELECT n", [.text("x"), .null])])
        #expect(connection.statements.first?.hasTextResults == false)
    }

    @Test func `reading the first result row returns nil if there is none or it decodes to nil`()
        throws
    {
        let connection = ToldConnection(Self.rows([3, 1, 2]))
        #expect(try connection.first("SELECT n") { $0.integer(0) } == 3)
        #expect(try ToldConnection().first("SELECT n") { $0.integer(0) } == nil)
        #expect(try ToldConnection(Self.rows([nil])).first("SELECT n") { $0.integer(0) } == nil)
    }

    @Test func `a PostgreSQL statement passes on rows until the receiver stops`() throws {
        let connection = ToldConnection(Self.rows([1, 2, 3, 4]))
        var seen: [Int64?] = []
        let count = try connection.run("SELECT n", [.integer(5)]) { row throws(CentralError) in
            seen.append(row.integer(0))
            return seen.count < 2
        }
        #expect(seen == [1, 2] && count == 2)
        #expect(connection.statements == [CentralStatement("SELECT n", [.integer(5)])])
        #expect(try connection.run("SELECT n") == 4)
    }

    @Test
    func `a PostgreSQL error after some rows is thrown instead of returning a partial result`() {
        let error = CentralError.connection("closed in the middle")
        let connection = ToldConnection(Self.rows([1, 2]), end: error)
        var decoded = 0
        #expect(throws: error) {
            try connection.rows("SELECT n") { row -> Int64? in
                decoded += 1
                return row.integer(0)
            }
        }
        #expect(decoded == 2)
        #expect(throws: error) { try connection.first("SELECT n") { $0.integer(0) } }
    }

    @Test func `an error thrown by the receiver of rows ends the PostgreSQL statement`() {
        let connection = ToldConnection(Self.rows([1, 2, 3]))
        var seen = 0
        #expect(throws: CentralError.cancelled) {
            try connection.run("SELECT n", []) { _ throws(CentralError) in
                seen += 1
                if seen == 2 { throw CentralError.cancelled }
                return true
            }
        }
        #expect(seen == 2)
    }
}

/// Notes what it is asked, and answers every statement with the same rows.
private final class ToldConnection: CentralConnection {
    private(set) var statements: [CentralStatement] = []
    private let rows: [CentralRow]
    private let end: CentralError?
    private let failures: [String: CentralError]

    init(
        _ rows: [CentralRow] = [], end: CentralError? = nil,
        failures: [String: CentralError] = [:]
    ) {
        self.rows = rows
        self.end = end
        self.failures = failures
    }

    /// The texts of the statements.
    var texts: [String] { statements.map(\.sql) }

    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        statements.append(statement)
        if let failure = failures[statement.sql] { throw failure }
        try onColumns(rows.first?.columns ?? [])
        var count: Int64 = 0
        for row in rows {
            count += 1
            guard try onRow(row) else { return count }
        }
        if let end { throw end }
        return count
    }

    func execute(_ sql: String) throws(CentralError) {
        statements.append(CentralStatement(sql))
        if let failure = failures[sql] { throw failure }
    }

    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        throw CentralError.server(code: "0A000", message: "not here")
    }

    var canceller: any CentralCanceller { NoCanceller() }
}

private struct NoCanceller: CentralCanceller {
    func cancel() {}
    func reset() {}
}

/// What to do about errors, and what people are told.
@Suite struct CentralErrorTests {
    @Test(
        arguments: [
            // PostgreSQL manual, appendix A.
            ("40001", .again), ("40P01", .again), ("40002", .stop), ("40003", .stop),
            ("55P03", .wait), ("55006", .wait), ("25006", .wait), ("55000", .stop),
            ("25001", .stop),
            ("08000", .wait), ("08006", .wait), ("08P01", .wait),
            ("53000", .wait), ("53100", .wait), ("53200", .wait), ("53300", .wait),
            ("57014", .wait), ("57P01", .wait), ("57P02", .wait), ("57P03", .wait),
            ("58000", .wait), ("58030", .wait),
            ("22000", .halve), ("22021", .halve), ("22P05", .halve), ("23505", .halve),
            ("23514", .halve), ("54000", .halve), ("54001", .halve),
            ("42501", .stop), ("42P01", .stop), ("28P01", .stop), ("3F000", .stop),
            ("3D000", .stop),
            ("XX000", .stop), ("00000", .stop), ("", .stop), ("2", .stop), ("22", .halve),
        ] as [(String, CentralError.Remedy)])
    func `the SQLSTATE decides whether a failed delivery is retried, delayed, halved or stopped`(
        code: String, remedy: CentralError.Remedy
    ) {
        #expect(CentralError.server(code: code, message: "22000").remedy == remedy)
    }

    @Test func `a delivery waits after connection errors but stops after configuration errors`() {
        #expect(CentralError.connection("28P01").remedy == .wait)
        #expect(CentralError.location("no schema").remedy == .stop)
        #expect(CentralError.cancelled.remedy == .stop)
    }

    @Test(
        arguments: [
            (.location("name a schema"), "name a schema"), (.connection("gone"), "gone"),
            (.server(code: "42P01", message: "no table"), "no table (SQLSTATE 42P01)"),
        ] as [(CentralError, String)])
    func `errors from the central store are reported with their message and SQLSTATE`(
        error: CentralError, message: String
    ) {
        #expect(error.message == message)
        #expect(error.storeError == .central(message))
    }

    @Test func `a cancelled read of the central store is reported as cancelled`() {
        #expect(CentralError.cancelled.message == "cancelled")
        #expect(CentralError.cancelled.storeError == .cancelled)
    }
}
