import Foundation
@testable import ProxydCentralStore
import ProxydPostgresLink
import ProxydTestSupport
import Testing

/// A connection to a real server: values, errors, and the next statement after everything that can
/// go wrong.
@Suite struct FleetConnectionTests {
    /// Rows without an end, each sent when it is made.
    private static let endless = "SELECT generate_series(1::bigint, 1000000000)"
    private static let divided = CentralError.server(code: "22012", message: "division by zero")

    private let cluster: PostgresCluster
    private let connection: PostgresConnection

    init() throws {
        cluster = try PostgresCluster.shared()
        connection = try FleetConnectionTests.connect(cluster)
    }

    private static func connect(_ cluster: PostgresCluster) throws -> PostgresConnection {
        try PostgresConnection(PostgresLocation(cluster.database), program: "tests")
    }

    /// The values of a result as texts.
    private func shown(_ sql: String, _ arguments: [CentralValue] = []) throws -> [String?] {
        var texts: [String?] = []
        try connection.run(
            CentralStatement(sql, arguments, hasTextResults: true),
            onColumns: { _ throws(CentralError) in },
            onRow: { row throws(CentralError) in
                texts += row.values.map { $0.map { String(decoding: $0, as: UTF8.self) } }
                return true
            })
        return texts
    }

    /// The next statement gets an answer of its own.
    private func expectUsable(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let answer = try connection.rows("SELECT 40 + 2::bigint") { $0.integer(0) }
        #expect(answer == [42], sourceLocation: sourceLocation)
    }

    // MARK: Values

    private static let values: [(value: CentralValue, text: String?)] = [
        (.null, nil), (.integer(.min), "-9223372036854775808"), (.integer(-1), "-1"),
        (.integer(.max), "9223372036854775807"), (.text(""), ""),
        (.text("a\u{0}b"), "a\u{2400}b"),
        (
            .text("\u{E9}\u{1F600}\u{10FFFF}'\\"),
            "\u{E9}\u{1F600}\u{10FFFF}'\\"
        ),
        (.bytes([]), "\\x"), (.bytes([0, 0x27, 0x5C, 0xFF]), "\\x00275cff"),
        (.boolean(true), "t"), (.boolean(false), "f"), (.timestamp(0), "2000-01-01 00:00:00+00"),
        (.timestamp(-1), "1999-12-31 23:59:59.999999+00"), (.timestamp(.max), "infinity"),
        (.timestamp(.min), "-infinity"),
        (.timestamp(CentralTime.earliest), "4714-11-24 00:00:00+00 BC"),
        (.integers([]), "{}"),
        (.integers([.min, 0, .max]), "{-9223372036854775808,0,9223372036854775807}"),
        (.texts([]), "{}"),
        (
            .texts(["", "NULL", "a\u{0}", "\"\\,"]),
            #"{"","NULL",a␀,"\"\\,"}"#
        ),
        (.encoded(type: 23, [0xFF, 0xFF, 0xFF, 0xFE]), "-2"), (.encoded(type: 23, nil), nil),
    ]

    @Test func `values of every type are unchanged after a round trip to PostgreSQL`() throws {
        for (value, text) in FleetConnectionTests.values {
            let row = try connection.first("SELECT $1", [value]) { $0 }
            #expect(row?.values == [value.encoded], "\(value)")
            let texts = try shown("SELECT $1", [value])
            #expect(texts == [text], "\(value)")
        }
        let cardinality = try shown(
            "SELECT cardinality($1), cardinality($2), $1 IS NULL", [.texts([]), .integers([])])
        #expect(cardinality == ["0", "0", "f"])
    }

    @Test
    func `a timestamp outside PostgreSQL's range is an error, but the connection stays usable`()
        throws
    {
        let error = #expect(throws: CentralError.self) {
            try connection.run("SELECT $1", [.timestamp(CentralTime.earliest - 1)])
        }
        #expect(error == .server(code: "22008", message: "timestamp out of range"))
        #expect(error?.remedy == .halve)
        try expectUsable()
    }

    // MARK: Results

    @Test
    func `a PostgreSQL statement reports its columns first, then each row, then a row count`()
        throws
    {
        for limit in [0, 3] {
            var events: [String] = []
            let sql = """
                SELECT n::bigint AS n, 'x'::text AS "a b" FROM generate_series(1, \(limit)) n
                """
            let count = try connection.run(
                CentralStatement(sql),
                onColumns: { columns throws(CentralError) in
                    events += columns.map { "\($0.name):\($0.type)" }
                },
                onRow: { row throws(CentralError) in
                    events.append("\(row.integer(0) ?? 0)")
                    return true
                })
            #expect(count == Int64(limit))
            #expect(events == ["n:20", "a b:25"] + (0..<limit).map { "\($0 + 1)" })
        }
        try connection.execute("CREATE TEMP TABLE counted (n bigint)")
        let inserted = try connection.run("INSERT INTO counted SELECT generate_series(1, 5)")
        let updated = try connection.run("UPDATE counted SET n = 0 WHERE n > $1", [.integer(3)])
        let deleted = try connection.run("DELETE FROM counted WHERE n = 0 RETURNING n")
        #expect([inserted, updated, deleted] == [5, 2, 2])
    }

    @Test func `a PostgreSQL connection has its application name, time zone and encoding set`()
        throws
    {
        let names = ["application_name", "TimeZone", "client_encoding", "plan_cache_mode"]
        let found = try names.flatMap { try shown("SELECT current_setting($1)", [.text($0)]) }
        #expect(found == ["tests", "UTC", "UTF8", "force_custom_plan"])
    }

    // MARK: Readers that have enough

    @Test func `a row handler can stop a PostgreSQL statement with endless rows`() throws {
        var seen: [Int64?] = []
        let count = try connection.run(FleetConnectionTests.endless, []) {
            row throws(CentralError) in
            seen.append(row.integer(0))
            return seen.count < 3
        }
        #expect(seen == [1, 2, 3])
        #expect(count == 3)
        try expectUsable()
    }

    /// The request to end a statement may come when it has ended.
    @Test func `ending a PostgreSQL statement early does not cancel the next one`() throws {
        for _ in 0..<30 {
            var count = 0
            try connection.run("SELECT generate_series(1, 3)", []) { _ throws(CentralError) in
                count += 1
                return false
            }
            #expect(count == 1)
            try expectUsable()
        }
    }

    @Test func `an error in a row or column handler ends the PostgreSQL statement and is rethrown`()
        throws
    {
        let reason = CentralError.location("enough")
        #expect(throws: reason) {
            try connection.run(FleetConnectionTests.endless, []) { _ throws(CentralError) in
                throw reason
            }
        }
        try expectUsable()
        #expect(throws: reason) {
            try connection.run(
                CentralStatement(FleetConnectionTests.endless),
                onColumns: { _ throws(CentralError) in throw reason },
                onRow: { _ throws(CentralError) in
                    Issue.record("no row is wanted")
                    return true
                })
        }
        try expectUsable()
    }

    // MARK: Errors

    @Test
    func `an error from PostgreSQL is reported with SQLSTATE and message, but no detail or hint`()
        throws
    {
        let sql = """
            DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'P0099',
            DETAIL = 'it was s3cr3t', HINT = 'ask s3cr3t'; END $$
            """
        let refused = CentralError.server(code: "P0099", message: "refused")
        #expect(throws: refused) { try connection.run(sql) }
        try expectUsable()
        #expect(throws: refused) { try connection.execute(sql) }
        try expectUsable()
        try connection.execute("CREATE TEMP TABLE single (name text CONSTRAINT one UNIQUE)")
        try connection.run("INSERT INTO single VALUES ($1)", [.text("s3cr3t")])
        let doubled = CentralError.server(
            code: "23505", message: "duplicate key value violates unique constraint \"one\"")
        #expect(throws: doubled) {
            try connection.run("INSERT INTO single VALUES ($1)", [.text("s3cr3t")])
        }
        try expectUsable()
    }

    @Test
    func `an empty PostgreSQL statement is rejected, and so are two statements in one string`()
        throws
    {
        let empty = CentralError.server(code: "42601", message: "the statement is empty")
        for sql in ["", " \n", "-- nothing", ";"] {
            #expect(throws: empty) { try connection.run(sql) }
            try expectUsable()
        }
        let two = CentralError.server(
            code: "42601", message: "cannot insert multiple commands into a prepared statement")
        #expect(throws: two) { try connection.run("SELECT 1; SELECT 2") }
        try expectUsable()
    }

    @Test func `if one of several PostgreSQL statements sent together fails, none takes effect`()
        throws
    {
        #expect(throws: FleetConnectionTests.divided) {
            try connection.execute(
                "CREATE TEMP TABLE half (n bigint); SELECT 1 / 0; INSERT INTO half VALUES (2)")
        }
        try expectUsable()
        let name = try shown("SELECT to_regclass('half')")
        #expect(name == [nil])
        try connection.execute("CREATE TEMP TABLE half (n bigint); INSERT INTO half VALUES (1)")
        #expect(throws: FleetConnectionTests.divided) {
            try connection.transaction { () throws(CentralError) -> Void in
                try connection.run("INSERT INTO half VALUES (2)")
                try connection.run("SELECT 1 / 0")
            }
        }
        let left = try shown("SELECT n FROM half")
        #expect(left == ["1"])
    }

    @Test func `if PostgreSQL closes a connection, the error is marked as retryable`() throws {
        let error = #expect(throws: CentralError.self) {
            try connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        #expect(error?.remedy == .wait)
        expectLost()
    }

    private func expectLost() {
        let error = #expect(throws: CentralError.self) { try connection.run("SELECT 1") }
        guard case .connection? = error else {
            Issue.record("it is not lost: \(String(describing: error))")
            return
        }
    }

    // MARK: COPY

    @Test func `a user's COPY TO or COPY FROM statement on PostgreSQL is rejected`() throws {
        try connection.execute("CREATE TEMP TABLE taken (n bigint)")
        let refused = CentralError.server(code: "0A000", message: "COPY is not possible here")
        for sql in [
            "COPY (SELECT generate_series(1, 100000)) TO STDOUT", "COPY taken FROM STDIN",
            "COPY taken TO STDOUT (FORMAT binary)",
        ] {
            #expect(throws: refused) { try connection.run(sql) }
            try expectUsable()
        }
        let count = try shown("SELECT count(*) FROM taken")
        #expect(count == ["0"])
    }

    private func copyRows(
        _ numbers: Range<Int64>, into table: String,
        then end: () throws(CentralError) -> Void = {}
    ) throws(CentralError) {
        try connection.copy("COPY \(table) FROM STDIN (FORMAT binary)") {
            buffer throws(CentralError) in
            for number in numbers {
                try buffer.startRow(1)
                buffer.bigint(number)
            }
            try end()
        }
    }

    @Test func `a COPY whose sender throws an error inserts no rows`() throws {
        try connection.execute("CREATE TEMP TABLE copied (n bigint)")
        let reason = CentralError.connection("the local store is gone")
        #expect(throws: reason) {
            try copyRows(0..<20_000, into: "copied") { () throws(CentralError) in throw reason }
        }
        try expectUsable()
        try copyRows(7..<9, into: "copied")
        let found = try shown("SELECT n FROM copied ORDER BY n")
        #expect(found == ["7", "8"])
    }

    @Test
    func `a COPY fails with PostgreSQL's error if a row is invalid or the table does not exist`()
        throws
    {
        try connection.execute("CREATE TEMP TABLE small (n bigint CONSTRAINT fits CHECK (n < 9))")
        let refused = CentralError.server(
            code: "23514",
            message: "new row for relation \"small\" violates check constraint \"fits\"")
        #expect(throws: refused) { try copyRows(0..<200_000, into: "small") }
        try expectUsable()
        let missing = CentralError.server(
            code: "42P01", message: "relation \"nowhere\" does not exist")
        #expect(throws: missing) { try copyRows(0..<1, into: "nowhere") }
        try expectUsable()
    }

    @Test
    func `if PostgreSQL closes the connection during a COPY, the error is marked as retryable`()
        throws
    {
        try connection.execute("CREATE TEMP TABLE broken (n bigint)")
        let process = try connection.first("SELECT pg_backend_pid()::bigint") { $0.integer(0) }
        let other = try FleetConnectionTests.connect(cluster)
        let error = #expect(throws: CentralError.self) {
            try copyRows(0..<20_000, into: "broken") { () throws(CentralError) in
                // It returns when the process has ended.
                try other.run(
                    "SELECT pg_terminate_backend($1::int, 60000)", [CentralValue(process)])
            }
        }
        #expect(error?.remedy == .wait)
        expectLost()
    }

    // MARK: Cancelling

    @Test func `a PostgreSQL statement that the client cancels is reported as cancelled`() throws {
        let canceller = connection.canceller
        #expect(throws: CentralError.cancelled) {
            try connection.run(FleetConnectionTests.endless, []) { row throws(CentralError) in
                if row.integer(0) == 1 { canceller.cancel() }
                return true
            }
        }
        canceller.reset()
        try expectUsable()
    }

    @Test func `another thread can cancel a PostgreSQL statement that returns no rows`() throws {
        let canceller = connection.canceller
        let (ended, gone) = (Collector<Bool>(), Gate())
        Thread.detachNewThread {
            // A request that comes before the statement has begun does nothing.
            while ended.count == 0 { canceller.cancel() }
            gone.open()
        }
        #expect(throws: CentralError.cancelled) { try connection.run("SELECT pg_sleep(3600)") }
        ended.add(true)
        gone.waitOnThread()
        canceller.reset()
        try expectUsable()
    }

    @Test func `a statement cancelled by PostgreSQL is not reported as cancelled by the client`()
        throws
    {
        let ended = CentralError.server(
            code: "57014", message: "canceling statement due to user request")
        #expect(throws: ended) {
            try connection.run("SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(3600)")
        }
        #expect(ended.remedy == .wait)
        try expectUsable()
    }

    @Test
    func `a cancel request on an idle or closed PostgreSQL connection has no effect`()
        throws
    {
        let canceller = connection.canceller
        canceller.cancel()
        try expectUsable()
        let retired = try FleetConnectionTests.connect(cluster).canceller
        retired.cancel()
        try expectUsable()
    }
}
