import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Rows of lists: their order, pages and names.
@Suite struct CentralReaderTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader

    private static let rows = "exchange.started_at FROM exchange"

    init() {
        reader = CentralReader(ScriptedServer(connection).link)
        connection.answer("SELECT no, name FROM shipper", SelectedRow.names)
    }

    private func filter(_ text: String) throws -> Filter {
        try Filter.parse(text, now: 0, timeZone: .utc)
    }

    private var conditions: [String] { connection.rowConditions }

    private func arguments(_ place: Int64, _ id: Int64) -> [CentralValue] {
        [.timestamp(place), .timestamp(place), .integer(id)]
    }

    private static let newest = "ORDER BY exchange.started_at DESC, exchange.id DESC LIMIT "
    private static let oldest = "ORDER BY exchange.started_at ASC, exchange.id ASC LIMIT "
    private static let before =
        "(exchange.started_at <= $1 AND (exchange.started_at, exchange.id) < ($2, $3) AND true) "
    private static let after =
        "(exchange.started_at >= $1 AND (exchange.started_at, exchange.id) > ($2, $3) AND true) "

    @Test func `columns that a central store lacks before its upgrade are read as NULL`() throws {
        connection.answer(CentralAdditions.question, .rows([.null]))
        let filter = try filter("received_status>=500 held>1s")
        _ = try reader.rows(matching: filter, .newest, limit: 5)
        let statements = connection.requests.map(\.sql).filter { $0.contains("FROM exchange") }
        #expect(!statements.isEmpty)
        #expect(statements.allSatisfy { !$0.contains("received_status") })
        #expect(statements.allSatisfy { $0.contains("NULL::integer") })
    }

    // MARK: Pages

    @Test func `exchanges listed from the central store have IDs that include the store names`()
        throws
    {
        let ids = [centralNumber(2, 8), centralNumber(1, 9), centralNumber(3, 1)]
        connection.answer(
            Self.rows,
            .rows(
                SelectedRow.list(ids[0], at: 30), SelectedRow.list(ids[1], at: 20),
                SelectedRow.list(ids[2], at: 10)))
        let rows = try reader.rows(.newest, limit: 4)
        #expect(rows.map(\.id.rawValue) == ids)
        // One of them is of a shipper that has no row.
        #expect(rows.map(\.idText) == ["ci-2:8", "ci-1:9", "\(ids[2])"])
        #expect(rows.map(\.host) == ["a.test", "a.test", "a.test"])
        #expect(conditions == ["true " + Self.newest + "4"])
    }

    @Test func `paging from an exchange that was already read does not look it up again`() throws {
        let id = centralNumber(1, 9)
        connection.answer(Self.rows, .rows(SelectedRow.list(id, at: 20)), .rows())
        _ = try reader.rows(.newest, limit: 1)
        #expect(try reader.rows(.before(ExchangeID(rawValue: id)), limit: 2) == [])
        #expect(try reader.rows(.after(ExchangeID(rawValue: id)), limit: 3) == [])
        #expect(
            conditions == [
                "true " + Self.newest + "1", Self.before + Self.newest + "2",
                Self.after + Self.oldest + "3",
            ])
        let asked = connection.arguments(of: "SELECT exchange.id")
        #expect(asked == [[], arguments(20, id), arguments(20, id)])
        #expect(connection.outline.filter { $0 == "SELECT started_at" } == [])
    }

    @Test func `paging from an unknown ID starts at the shipper's last exchange up to that ID`()
        throws
    {
        let id = ExchangeID(rawValue: centralNumber(2, 9))
        connection.answer("SELECT started_at FROM exchange", .rows([.timestamp(50)]), .rows())
        #expect(try reader.rows(.after(id), limit: 2) == [])
        // Before everything that there is: 4713 BC.
        #expect(try reader.rows(.after(id), limit: 2) == [])
        let range: [CentralValue] = [.integer(centralNumber(2, 0)), .integer(id.rawValue)]
        #expect(connection.arguments(of: "SELECT started_at") == [range, range])
        let asked = connection.arguments(of: "SELECT exchange.id")
        let earliest: Int64 = -211_813_488_000_000_000
        #expect(asked == [arguments(50, id.rawValue), arguments(earliest, id.rawValue)])
    }

    @Test func `reading zero rows sends no query`() throws {
        #expect(try reader.rows(.newest, limit: 0) == [])
        #expect(try reader.rows([]) == [])
        #expect(connection.outline == [])
    }

    @Test func `the central reader passes on all rows and reads them a thousand at a time`() throws
    {
        let page = (0..<1_000 as Range<Int64>).map {
            SelectedRow.list(centralNumber(1, $0), at: $0 / 2)
        }
        connection.answer(
            Self.rows, Self.reply(page), .rows(SelectedRow.list(centralNumber(1, 1_000))))
        var numbers: [Int64] = []
        try reader.forEachRow(matching: .everything, .oldest) { row in
            numbers.append(row.number)
            return true
        }
        #expect(numbers == Array(0...1_000))
        #expect(
            conditions == [
                "true " + Self.oldest + "1000", Self.after + Self.oldest + "1000",
            ])
        let asked = connection.arguments(of: "SELECT exchange.id")
        #expect(asked.last == arguments(499, centralNumber(1, 999)))
    }

    @Test func `the central reader passes on rows until the receiver stops`() throws {
        let page = (0..<1_000 as Range<Int64>).map {
            SelectedRow.list(centralNumber(1, $0), at: $0)
        }
        connection.answer(Self.rows, Self.reply(page))
        var count = 0
        try reader.forEachRow(matching: .everything, .oldest) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3 && conditions.count == 1)
    }

    private static func reply(_ rows: [[CentralValue]]) -> ScriptedConnection.Reply {
        ScriptedConnection.Reply(rows: rows.map(ScriptedConnection.row))
    }

    @Test func `rows requested by ID come in the requested order, and missing ones are left out`()
        throws
    {
        let ids = [centralNumber(2, 1), centralNumber(1, 5), centralNumber(1, 4)]
        connection.answer(
            Self.rows, .rows(SelectedRow.list(ids[2]), SelectedRow.list(ids[0])))
        let rows = try reader.rows(ids.map { ExchangeID(rawValue: $0) })
        #expect(rows.map(\.id.rawValue) == [ids[0], ids[2]])
        #expect(connection.requests.first?.arguments == [.integers(ids)])
    }

    // MARK: What PostgreSQL cannot decide

    /// Exchanges have heads with these fields.
    private func heads(_ fields: [(id: Int64, field: String)]) {
        for (id, field) in fields {
            let head = "GET / HTTP/1.1\r\nHost: a.test\r\n\(field)\r\n\r\n"
            connection.answer(
                "FROM content", to: .integer(id),
                .rows([.bytes(Array(head.utf8))]))
        }
    }

    @Test func `the central reader checks rows until enough of them match the filter`() throws {
        let ids = [centralNumber(1, 1), centralNumber(1, 2), centralNumber(1, 3)]
        connection.answer(
            Self.rows,
            .rows(SelectedRow.list(ids[0], at: 3), SelectedRow.list(ids[1], at: 2)),
            .rows(SelectedRow.list(ids[2], at: 1)))
        heads([(ids[0], "X: 1"), (ids[1], "Y: 1"), (ids[2], "x: 21")])
        let rows = try reader.rows(matching: try filter("header.x:1"), .newest, limit: 2)
        #expect(rows.map(\.id.rawValue) == [ids[0], ids[2]])
        // The second page is larger, as few rows pass.
        #expect(
            conditions == [
                "true " + Self.newest + "2", Self.before + Self.newest + "1000",
            ])
        #expect(connection.arguments(of: "SELECT exchange.id").last == arguments(2, ids[1]))
    }

    @Test func `rows are counted one by one only if PostgreSQL cannot evaluate the whole filter`()
        throws
    {
        connection.answer(
            Self.rows, .rows(SelectedRow.list(1), SelectedRow.list(2), SelectedRow.list(3)))
        heads([(1, "X: 1"), (2, "Y: 1"), (3, "X: 1")])
        #expect(try reader.count(matching: try filter("header.x:1")) == 2)
        connection.answer("SELECT count(*) FROM exchange", .rows([.integer(12)]))
        #expect(try reader.count(matching: try filter("status=7")) == 12)
        #expect(
            connection.requests.last?.statement
                == CentralStatement(
                    "SELECT count(*) FROM exchange WHERE exchange.status = $1 ", [.integer(7)]))
    }

    @Test(arguments: ["header.x:1", "not header.x:1", "reqbody:abc"])
    func `filtering fails with an error if an exchange's content cannot be read`(text: String)
        throws
    {
        connection.answer(Self.rows, .rows(SelectedRow.list(centralNumber(1, 1))))
        let error = CentralError.server(code: "42501", message: "no right")
        connection.answer("FROM content", .failure(error))
        let filter = try filter(text)
        #expect(throws: StoreError.central("no right (SQLSTATE 42501)")) {
            try reader.rows(matching: filter, .newest, limit: 2)
        }
    }

    // MARK: Names

    @Test(
        arguments: [
            ("ci-1:5", centralNumber(1, 5)), ("ci-2:0", centralNumber(2, 0)),
            ("ci-2:17179869183", centralNumber(2, 17_179_869_183)), ("ci-3:5", nil),
        ] as [(String, Int64?)])
    func `an exchange name in the central store consists of a store name and a number`(
        name: String, number: Int64?
    ) throws {
        #expect(try reader.exchangeID(named: name)?.rawValue == number)
    }

    @Test(
        arguments: [
            "5", "", ":5", "ci-1:", "ci-1:-1", "ci-1:17179869184", "ci-1:x",
            "ci-1:9223372036854775807",
        ])
    func `strings that are not valid exchange names are rejected without a query`(name: String)
        throws
    {
        #expect(try reader.exchangeID(named: name) == nil)
        #expect(connection.outline == [])
    }

    @Test func `store names are read once, and again when a new shipper appears`() throws {
        #expect(try reader.name(of: ExchangeID(rawValue: centralNumber(2, 7))) == "ci-2:7")
        #expect(try reader.name(of: ExchangeID(rawValue: centralNumber(1, 7))) == "ci-1:7")
        #expect(try reader.exchangeID(named: "ci-1:7")?.rawValue == centralNumber(1, 7))
        #expect(connection.requests.count == 1)
        connection.answer(
            "SELECT no, name FROM shipper", .rows([.integer(3), .text("a:b")]))
        let new = ExchangeID(rawValue: centralNumber(3, 7))
        #expect(try reader.name(of: new) == "a:b:7")
        #expect(try reader.exchangeID(named: "a:b:7") == new)
        #expect(connection.requests.count == 2)
    }
}

/// What filters ask of an exchange in the central store.
@Suite struct CentralSubjectTests {
    private let connection = ScriptedConnection()
    private let failure = CentralSubject.Failure()
    private let subject: CentralSubject

    init() {
        subject = CentralSubject(
            id: ExchangeID(rawValue: centralNumber(1, 5)),
            reader: CentralReader(ScriptedServer(connection).link), failure: failure)
    }

    @Test func `a filter compares parameter names byte by byte, without Unicode normalization`() {
        connection.answer(
            "FROM parameter",
            .rows(
                [.text("query"), .text("\u{E9}"), .text("1"), .null, .null],
                [.text("query"), .text("e\u{301}"), .text("2"), .null, .null],
                [.text("form"), .text("\u{E9}"), .null, .null, .null]))
        #expect(subject.parameterValues(named: "\u{E9}") == ["1", nil])
        #expect(subject.parameterValues(named: "e\u{301}") == ["2"])
        #expect(subject.parameterValues(named: "") == [])
        #expect(failure.error == nil)
    }

    @Test func `a filter of the central store reads the request and response bodies separately`() {
        connection.answer("SELECT request_body", .rows([.bytes([1])]))
        connection.answer("SELECT response_body", .rows([.bytes([2])]))
        #expect(subject.body(of: .request) == [1])
        #expect(subject.body(of: .response) == [2])
    }

    @Test
    func `a filter treats unreadable parts of an exchange as missing and keeps the first error`() {
        connection.answer("FROM parameter", .failure(.server(code: "42501", message: "one")))
        connection.answer("FROM content", .failure(.server(code: "42501", message: "two")))
        connection.answer("SELECT reset", .failure(.server(code: "42501", message: "three")))
        #expect(subject.parameterValues(named: "a") == [])
        #expect(subject.body(of: .response) == [])
        #expect(subject.heads == nil && subject.responseFault == nil && subject.reset == nil)
        #expect(failure.error == .central("one (SQLSTATE 42501)"))
    }
}
