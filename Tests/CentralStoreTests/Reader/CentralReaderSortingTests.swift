import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Lists sorted by a column.
@Suite struct CentralReaderSortingTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader

    init() {
        reader = CentralReader(ScriptedServer(connection).link)
        connection.answer("SELECT no, name FROM shipper", SelectedRow.names)
        connection.answer("duration_ns IS NOT NULL", .rows(row(1, 90), row(2, 80)))
        connection.answer("duration_ns IS NULL", .rows(row(3, nil), row(4, nil)))
    }

    private func row(_ number: Int64, _ durationNs: Int64?) -> [CentralValue] {
        SelectedRow.list(centralNumber(1, number), durationNs: durationNs)
    }

    private func position(_ number: Int64, _ durationNs: Int64?) -> ListPosition {
        ListPosition(
            value: durationNs.map { .integer($0) },
            id: ExchangeID(rawValue: centralNumber(1, number)))
    }

    /// The numbers of the rows after a position, or before it.
    private func numbers(
        from start: ListPosition?, isDescending: Bool = true, isBackward: Bool = false,
        limit: Int = 4
    ) throws -> [Int64] {
        let found = try reader.positions(
            by: .duration, isDescending: isDescending, from: start, isBackward: isBackward,
            limit: limit)
        return found.map { $0.id.rawValue - centralNumber(1, 0) }
    }

    private var conditions: [String] { connection.rowConditions }

    private static let values = "(exchange.duration_ns IS NOT NULL AND true)"
    private static let nulls = "(exchange.duration_ns IS NULL AND true)"

    @Test func `rows with NULL in the sort column come last in a descending list`() throws {
        #expect(try numbers(from: nil) == [1, 2, 3, 4])
        let byValue = " ORDER BY exchange.duration_ns DESC, exchange.id DESC LIMIT 4"
        #expect(
            conditions == [
                Self.values + byValue, Self.nulls + " ORDER BY exchange.id DESC LIMIT 2",
            ])
    }

    @Test func `rows with NULL in the sort column come last in an ascending list`() throws {
        #expect(try numbers(from: nil, isDescending: false) == [1, 2, 3, 4])
        let byValue = " ORDER BY exchange.duration_ns ASC, exchange.id ASC LIMIT 4"
        #expect(
            conditions == [
                Self.values + byValue, Self.nulls + " ORDER BY exchange.id ASC LIMIT 2",
            ])
    }

    @Test func `rows with NULL in the sort column come first if the sorted list is read backward`()
        throws
    {
        #expect(try numbers(from: nil, isBackward: true) == [3, 4, 1, 2])
        let byValue = " ORDER BY exchange.duration_ns ASC, exchange.id ASC LIMIT 2"
        #expect(
            conditions == [
                Self.nulls + " ORDER BY exchange.id ASC LIMIT 4", Self.values + byValue,
            ])
    }

    @Test
    func `after a row with a value, a descending list continues with smaller values, then NULL`()
        throws
    {
        #expect(try numbers(from: position(7, 95), limit: 3) == [1, 2, 3])
        let after =
            "((exchange.duration_ns IS NOT NULL "
            + "AND (exchange.duration_ns, exchange.id) < ($1, $2)) AND true)"
        #expect(conditions.first?.hasPrefix(after) == true)
        let arguments = connection.arguments(of: "SELECT exchange.id")
        #expect(arguments == [[.integer(95), .integer(centralNumber(1, 7))], []])
    }

    @Test func `a sorted list read backward from a row with a value contains no rows with NULL`()
        throws
    {
        #expect(try numbers(from: position(7, 95), isBackward: true) == [1, 2])
        #expect(conditions.count == 1)
        #expect(
            conditions.first?.contains("(exchange.duration_ns, exchange.id) > ($1, $2)") == true)
    }

    @Test func `after a row with NULL, a sorted list continues with only rows with NULL`() throws {
        #expect(try numbers(from: position(7, nil)) == [3, 4])
        let after = "((exchange.duration_ns IS NULL AND exchange.id < $1) AND true)"
        #expect(conditions == [after + " ORDER BY exchange.id DESC LIMIT 4"])
    }

    @Test
    func `a sorted list read backward from a row with NULL has the other NULL rows, then values`()
        throws
    {
        #expect(try numbers(from: position(7, nil), isBackward: true) == [3, 4, 1, 2])
        let before = "((exchange.duration_ns IS NULL AND exchange.id > $1) AND true)"
        #expect(conditions.first == before + " ORDER BY exchange.id ASC LIMIT 4")
        #expect(conditions.count == 2)
    }

    @Test func `a sorted list runs no further query once it has enough rows`() throws {
        #expect(try numbers(from: nil, limit: 2) == [1, 2])
        #expect(conditions.count == 1)
        #expect(try numbers(from: nil, limit: 0) == [])
        #expect(conditions.count == 1)
    }

    @Test(
        arguments: [
            (.time, .integer(7)), (.method, .text("GET")), (.host, .text("a.test")),
            (.path, nil), (.status, nil), (.type, nil), (.size, .integer(0)),
            (.duration, .integer(80)), (.process, nil),
        ] as [(SortColumn, ListPosition.Value?)])
    func `the position of an exchange in a sorted list is its column value and its ID`(
        column: SortColumn, value: ListPosition.Value?
    ) throws {
        connection.answer("exchange.id = ANY", .rows(row(2, 80)))
        let id = ExchangeID(rawValue: centralNumber(1, 2))
        let found = try #require(try reader.row(id))
        #expect(reader.position(of: found, by: column) == ListPosition(value: value, id: id))
        #expect(reader.isQuick(by: column) == (column == .time))
    }
}
