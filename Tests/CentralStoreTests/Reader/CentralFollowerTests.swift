import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// What shippers delivered since the last look.
@Suite struct CentralFollowerTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader

    private static let rows = "exchange.started_at FROM exchange"

    init() {
        reader = CentralReader(ScriptedServer(connection).link)
        connection.answer("SELECT no, name FROM shipper", SelectedRow.names)
    }

    /// How far shippers have come, look by look.
    private func places(_ looks: ScriptedConnection.Reply...) {
        connection.answer("SELECT no, through_id, open_ids,", each: looks)
    }

    private func follower(_ filter: Filter = .everything) throws -> CentralFollower {
        try CentralFollower(reader, filter)
    }

    /// A shipper that has come this far, with an earlier one of its store.
    private func place(
        _ shipper: Int64, _ through: Int64, open: [Int64] = [],
        after earlier: (shipper: Int64, number: Int64)? = nil
    ) -> [CentralValue] {
        [
            .integer(shipper), .integer(through), .integers(open),
            .integers([shipper] + (earlier.map { [$0.shipper] } ?? [])),
            .integers([earlier?.number ?? 0] + (earlier == nil ? [] : [0])),
        ]
    }

    /// The statements that look for exchanges.
    private var searches: [ScriptedConnection.Request] {
        connection.requests.filter { $0.sql.hasPrefix("SELECT exchange.id") }
    }

    // MARK: New exchanges

    @Test func `a follower of the central store does not report exchanges from before its start`()
        throws
    {
        places(.rows(place(1, 5, open: [3])))
        var follower = try follower()
        let news = try follower.news()
        #expect(news == [])
        // Nothing moved: exchanges are not looked for.
        #expect(connection.outline == ["SELECT no", "SELECT no"])
    }

    @Test func `a follower of the central store reports newly delivered exchanges once`() throws {
        places(.rows(place(1, 5)), .rows(place(1, 7)))
        connection.answer(
            Self.rows,
            .rows(SelectedRow.list(centralNumber(1, 6)), SelectedRow.list(centralNumber(1, 7))))
        var follower = try follower()
        let news = try follower.news()
        #expect(news.map(\.idText) == ["ci-1:6", "ci-1:7"])
        let search = try #require(searches.first)
        #expect(
            search.sql.hasSuffix(
                "WHERE ((exchange.id > $1 AND exchange.id <= $2) AND true) "
                    + "ORDER BY exchange.started_at, exchange.id"))
        let range: [CentralValue] = [
            .integer(centralNumber(1, 5)), .integer(centralNumber(1, 7)),
        ]
        #expect(search.arguments == range)
        let later = try follower.news()
        #expect(later == [] && searches.count == 1)
    }

    @Test
    func `a follower queries the new exchanges of known shippers and all exchanges of a new one`()
        throws
    {
        places(
            .rows(place(1, 5), place(2, 9)), .rows(place(3, 2), place(2, 9), place(1, 6)))
        var follower = try follower()
        _ = try follower.news()
        let search = try #require(searches.first)
        #expect(
            search.sql.contains(
                "WHERE (((exchange.id > $1 AND exchange.id <= $2) "
                    + "OR (exchange.id > $3 AND exchange.id <= $4)) AND true) "))
        let ranges: [CentralValue] = [
            .integer(centralNumber(1, 5)), .integer(centralNumber(1, 6)),
            .integer(centralNumber(3, 0)), .integer(centralNumber(3, 2)),
        ]
        #expect(search.arguments == ranges)
    }

    @Test func `a follower of the central store asks only for exchanges that match its filter`()
        throws
    {
        places(.rows(place(1, 5)), .rows(place(1, 6)))
        var follower = try follower(try Filter.parse("status=7", now: 0, timeZone: .utc))
        _ = try follower.news()
        let search = try #require(searches.first)
        #expect(
            search.sql.contains(
                "WHERE ((exchange.id > $1 AND exchange.id <= $2) AND exchange.status = $3) "))
        #expect(search.arguments.last == .integer(7))
    }

    // MARK: Open exchanges

    @Test func `a follower reports an open exchange when it first appears and when it ends`() throws
    {
        let id = centralNumber(1, 6)
        places(
            .rows(place(1, 5)), .rows(place(1, 6, open: [6])), .rows(place(1, 6, open: [])))
        connection.answer(
            Self.rows, .rows(SelectedRow.list(id, state: 0)), .rows(SelectedRow.list(id)))
        var follower = try follower()
        let first = try follower.news()
        #expect(first.map(\.state) == [.active])
        let second = try follower.news()
        #expect(second.map(\.state) == [.complete])
        #expect(searches.last?.sql.contains("OR exchange.id = ANY ($3))") == true)
        let arguments: [CentralValue] = [.integer(id), .integer(id), .integers([id])]
        #expect(searches.last?.arguments == arguments)
    }

    @Test
    func `an exchange that was open when a follower started is reported only after it ends`()
        throws
    {
        let (three, six) = (centralNumber(1, 3), centralNumber(1, 6))
        places(
            .rows(place(1, 5, open: [3])), .rows(place(1, 6, open: [3])), .rows(place(1, 6)))
        connection.answer(
            Self.rows, .rows(SelectedRow.list(three, state: 0), SelectedRow.list(six)),
            .rows(SelectedRow.list(three, state: 2)))
        var follower = try follower()
        let first = try follower.news()
        #expect(first.map(\.idText) == ["ci-1:6"])
        let second = try follower.news()
        #expect(second.map(\.idText) == ["ci-1:3"] && second.map(\.state) == [.failed])
    }

    /// A store that was restored from a backup goes on as shipper 2 after number 10. Exchange 5,
    /// which is still open, stays one of shipper 1: see `ShipperLineage`.
    @Test
    func `a follower looks up exchanges that were open before a restore and have since ended`()
        throws
    {
        places(
            .rows(place(1, 10, open: [5]), place(2, 10, open: [5], after: (1, 10))),
            .rows(place(1, 10, open: [5]), place(2, 10, after: (1, 10))))
        var follower = try follower()
        _ = try follower.news()
        let ids = try #require(searches.first).arguments.flatMap { argument -> [Int64] in
            if case .integers(let numbers) = argument { numbers } else { [] }
        }
        #expect(ids.contains(centralNumber(1, 5)))
    }

    // MARK: Errors

    @Test func `exchanges that a follower could not read are reported at its next attempt`() throws
    {
        places(.rows(place(1, 5)), .rows(place(1, 6)))
        connection.answer(
            Self.rows, .failure(.server(code: "53200", message: "no memory")),
            .rows(SelectedRow.list(centralNumber(1, 6))))
        var follower = try follower()
        #expect(throws: StoreError.central("no memory (SQLSTATE 53200)")) {
            try follower.news()
        }
        let news = try follower.news()
        #expect(news.map(\.idText) == ["ci-1:6"])
    }

    @Test func `following the central store fails if the progress of its shippers is unreadable`() {
        connection.answer("through_id", .failure(.server(code: "42501", message: "no right")))
        #expect(throws: StoreError.central("no right (SQLSTATE 42501)")) {
            try CentralFollower(reader, .everything)
        }
    }
}
