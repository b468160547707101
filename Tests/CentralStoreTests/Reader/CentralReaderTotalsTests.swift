import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Totals that the server computes.
@Suite struct CentralReaderTotalsTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader

    private static let groups = "GROUP BY 6, 7, 8"
    private static let measures = "SELECT exchange.id, exchange.duration_ns"

    init() {
        reader = CentralReader(ScriptedServer(connection).link)
        connection.answer("SELECT no, name FROM shipper", SelectedRow.names)
    }

    /// Totals: exchanges, errors, bytes, and when the last one started.
    private func totals(_ values: Int64...) -> [CentralValue] {
        values.map { CentralValue.integer($0) }
    }

    private func measure(
        _ id: Int64, _ durationNs: Int64?, type: String?, isError: Bool = false
    ) -> [CentralValue] {
        [
            .integer(id), CentralValue(durationNs), .integer(10), CentralValue(type),
            .integer(1_000), .boolean(isError),
        ]
    }

    // MARK: Summary

    @Test func `a summary of the central store combines grouped totals with individual durations`()
        throws
    {
        let status = CentralValue.encoded(type: 23, [0, 0, 1, 0xF4])
        connection.answer(
            Self.groups,
            .rows(
                totals(3, 0, 40, 900) + [.integer(200), .null, .text("GET"), .text("a.test")],
                totals(2, 2, 60, 800) + [.integer(100), status, .text("GET"), .null]))
        connection.answer(
            Self.measures,
            .rows(
                measure(1, 5, type: "Text/HTML; charset=utf-8"), measure(2, nil, type: nil),
                measure(3, 9, type: "text/html", isError: true)))
        let summary = try reader.summary()
        #expect(summary.all.count == 5 && summary.all.errorCount == 2)
        #expect(summary.all.byteCount == 100 && summary.all.lastStartedAtNs == 900)
        #expect(summary.firstStartedAtNs == 100)
        #expect(summary.statuses == [nil: 3, 500: 2])
        #expect(summary.methods == ["GET": 5])
        #expect(summary.hosts.mapValues(\.count) == ["a.test": 3, nil: 2])
        #expect(summary.types == ["text/html": 2, nil: 1])
        #expect(summary.slowest.map(\.id.rawValue) == [3, 1])
        #expect(summary.slowest.map(\.durationNs) == [9, 5])
    }

    /// An idle connection may have been closed: its statement is tried again on a new one.
    @Test
    func `a summary counts each exchange once even if the connection breaks while it is read`()
        throws
    {
        let second = ScriptedConnection()
        let reader = CentralReader(ScriptedServer(connection, second).link)
        let (one, two) = (measure(1, 5, type: "a/b"), measure(2, 9, type: "a/b"))
        connection.answer(Self.measures, .rows(one).failing(.connection("gone")))
        second.answer(Self.measures, .rows(one, two))
        let summary = try reader.summary()
        #expect(summary.types == ["a/b": 2])
        #expect(summary.slowest.map(\.id.rawValue) == [2, 1])
    }

    @Test func `a summary can also be made with filters that PostgreSQL cannot evaluate`() throws {
        var list = SelectedRow.list(centralNumber(1, 1), durationNs: 5)
        list[8] = .encoded(type: 23, [0, 0, 0, 200])
        list[14] = .integer(40)
        list[17] = .text("a/b")
        connection.answer("exchange.started_at FROM exchange", .rows(list))
        // There are no heads, and so no fields.
        let filter = try Filter.parse("not header.x:1", now: 0, timeZone: .utc)
        var progress: [Int64] = []
        let summary = try reader.summary(matching: filter) { summary, _ in
            progress.append(summary.all.count)
        }
        #expect(progress == [1])
        #expect(summary.all.count == 1 && summary.all.byteCount == 40)
        #expect(summary.statuses == [200: 1] && summary.types == ["a/b": 1])
        #expect(summary.hosts.mapValues(\.count) == ["a.test": 1])
    }

    // MARK: Branches

    @Test func `the top level of the central store's tree lists the servers`() throws {
        connection.answer(
            "GROUP BY 5, 6, 7",
            .rows(
                totals(3, 1, 40, 900) + [.text("https"), .text("a.test"), .integer(443)],
                totals(1, 0, 2, 901) + [.null, .null, .null]))
        let branches = try reader.branches(of: .everything)
        let names: Set<Branches.Name> = [
            .server(ServerName(scheme: "https", host: "a.test", port: 443)),
            .server(ServerName(scheme: nil, host: nil, port: nil)),
        ]
        #expect(Set(branches.totals.keys) == names)
        #expect(branches.all.count == 4 && branches.all.errorCount == 1)
        #expect(branches.all.byteCount == 42 && branches.all.lastStartedAtNs == 901)
    }

    @Test func `a folder in the central store's tree lists only folders and paths of its server`()
        throws
    {
        connection.answer(
            "GROUP BY step",
            .rows(
                totals(3, 0, 0, 1) + [.text("/api/v1/")], totals(1, 0, 0, 1) + [.text("/api/x")],
                totals(2, 0, 0, 1) + [.text("/api/")]))
        let server = ServerName(scheme: "https", host: "a.test", port: 443)
        let branches = try reader.branches(of: TreePath(server: server, folder: "/api/"))
        let counts: [Branches.Name: Int64] = [
            .folder("/api/v1/"): 3, .path("/api/x"): 1, .path("/api/"): 2,
        ]
        #expect(branches.totals.mapValues(\.count) == counts)
        let request = try #require(connection.requests.last)
        #expect(
            request.sql.contains(
                "WHERE ((exchange.host IS NOT DISTINCT FROM $2::text "
                    + "AND exchange.scheme IS NOT DISTINCT FROM $3::text "
                    + "AND exchange.port IS NOT DISTINCT FROM $4::bigint "
                    + "AND starts_with(exchange.path, $5)) AND true) GROUP BY step"))
        let arguments: [CentralValue] = [
            .text("/api/"), .text("a.test"), .text("https"), .integer(443), .text("/api/"),
        ]
        #expect(request.arguments == arguments)
    }

    @Test func `exchanges without a path are listed at the root of their server`() throws {
        connection.answer(
            "GROUP BY step",
            .rows(
                totals(3, 0, 0, 1) + [.text("/api/")], totals(1, 0, 0, 1) + [.text("*")],
                totals(2, 0, 0, 1) + [.text("/")], totals(4, 0, 0, 1) + [.null]))
        let server = ServerName(scheme: nil, host: nil, port: nil)
        let branches = try reader.branches(of: TreePath(server: server))
        let counts: [Branches.Name: Int64] = [
            .folder("/api/"): 3, .path("*"): 1, .path("/"): 2, .path(nil): 4,
        ]
        #expect(branches.totals.mapValues(\.count) == counts)
        let arguments: [CentralValue] = [.text("/"), .null, .null, .null]
        #expect(connection.requests.last?.arguments == arguments)
    }

    // MARK: Timelines

    @Test func `reading timelines by ID returns only those of exchanges that exist`() throws {
        // The fourth moment, after 3 ns in a zigzag varint.
        connection.answer(
            "SELECT id, started_ns, timeline, flags",
            .rows([
                .integer(4), .integer(70), .bytes([8, 0, 0, 6]),
                .encoded(type: 23, [0, 0, 0, 1]),
            ]))
        let (four, five) = (ExchangeID(rawValue: 4), ExchangeID(rawValue: 5))
        let timelines = try reader.timelines([four, five])
        #expect(Array(timelines.keys) == [four])
        let timeline = try #require(timelines[four])
        #expect(timeline.wallStart == 70 && timeline.connectionReused)
        #expect(timeline[.requestHead] == 3 && timeline[.delivered] == nil)
        #expect(connection.requests.last?.arguments == [.integers([4, 5])])
    }
}
