import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydCentralStore

/// Batches, each of which is one transaction.
@Suite struct CentralDeliveryTests {
    private let connection = ScriptedConnection()
    private let delivery: CentralDelivery

    init() {
        delivery = CentralDelivery(
            connection, ShipperLineage([ShipperLineage.Generation(shipper: 1, after: 0)]))
        connection.answer("FOR UPDATE", .rows([.integer(0), .integer(0), .integers([])]))
        connection.answer("WITH added", .rows([.bytes([9])]))
    }

    private func batch(_ exchanges: [DeliveredExchange] = []) throws -> DeliveryBatch {
        var batch = DeliveryBatch(after: try KnownShipper().state())
        batch.exchanges = exchanges
        batch.throughID = exchanges.map { $0.record.id }.max() ?? 0
        return batch
    }

    private func deliver(_ batch: DeliveryBatch) throws -> Bool {
        try delivery.deliver(batch, after: try KnownShipper().state())
    }

    private static let deletions = [
        "DELETE FROM content", "DELETE FROM body_piece", "DELETE FROM body_text",
        "DELETE FROM parameter", "DELETE FROM message", "DELETE FROM applied_rule",
        "DELETE FROM exchange",
    ]
    /// What a batch with one connection to a server does.
    private static let plain = [
        "BEGIN", "SELECT through_id", "COPY exchange", "COPY content", "WITH added",
        "DELETE FROM connection", "COPY connection", "UPDATE shipper", "COMMIT",
    ]

    // MARK: One transaction

    @Test func `a delivery batch is one transaction that first locks the shipper's row`() throws {
        var batch = try batch([.sample(4), .sample(6)])
        batch.openIDs = [5]
        batch.skipped = 3
        batch.changeSequence = 12
        #expect(try deliver(batch))
        let expected = [
            "SELECT make_day", "BEGIN", "SELECT through_id", "COPY exchange", "COPY content",
            "UPDATE shipper", "COMMIT",
        ]
        #expect(connection.outline == expected)
        let lock = try #require(connection.requests.dropFirst(2).first)
        #expect(lock.sql.hasSuffix("FROM shipper WHERE no = $1::bigint\nFOR UPDATE"))
        #expect(lock.arguments == [.integer(1)])
        // Two were delivered, and three skipped.
        let cursor: [CentralValue] = [
            .integer(1), .integer(6), .integers([5]), .integer(12), .integer(2), .integer(3),
        ]
        #expect(connection.arguments(of: "UPDATE shipper") == [cursor])
    }

    @Test func `delivering an empty batch still updates the shipper's row`() throws {
        #expect(try deliver(try batch()))
        let expected = ["BEGIN", "SELECT through_id", "UPDATE shipper", "COMMIT"]
        #expect(connection.outline == expected)
    }

    @Test
    func `a delivery batch deletes the exchanges it replaces first and applies removals last`()
        throws
    {
        var exchange = DeliveredExchange.sample(1, server: .sample(4, chain: [[1]]))
        exchange.record.parameters = [
            StoredParameter(
                position: 0,
                parameter: ExtractedParameter(source: .query, name: "a", value: "b"))
        ]
        exchange.record.appliedRules = [
            AppliedRule(rule: "r", phase: .request, outcome: "changed")
        ]
        exchange.messages = { _ in }
        exchange.longBody = { part, piece in try piece([1]) }
        var batch = try batch([exchange])
        batch.laterVersions = [1]
        batch.annotations = [(number: 7, annotations: Exchange.Annotations(note: "n"))]
        batch.removals = [3...4]
        connection.answer(
            "annotated_at IS NOT NULL",
            .rows([.integer(centralNumber(1, 1)), .null, .texts([]), .boolean(true)]))
        #expect(try deliver(batch))
        let copies = [
            "COPY exchange", "COPY content", "COPY parameter", "COPY applied_rule",
            "COPY body_piece", "COPY message", "WITH added", "DELETE FROM connection",
            "COPY connection",
        ]
        let begin = ["SELECT make_day", "BEGIN", "SELECT through_id", "SELECT id"]
        let changes = ["UPDATE exchange", "UPDATE exchange"]
        let expected = begin + Self.deletions + copies + changes + Self.deletions
        #expect(connection.outline == expected + ["UPDATE shipper", "COMMIT"])
    }

    // MARK: A cursor that moved, and errors

    @Test(
        arguments: [
            [.integer(1), .integer(0), .integers([])], [.integer(0), .integer(1), .integers([])],
            [.integer(0), .integer(0), .integers([1])], [.null, .null, .null],
        ] as [[CentralValue]])
    func `a delivery batch writes nothing if the shipper's cursor has moved in the meantime`(
        row: [CentralValue]
    ) throws {
        connection.answer(
            "FOR UPDATE", .rows(row), .rows([.integer(0), .integer(0), .integers([])]))
        let batch = try batch([.sample(1, server: .sample(4, chain: [[1]]))])
        #expect(try !deliver(batch))
        #expect(
            connection.outline == ["SELECT make_day", "BEGIN", "SELECT through_id", "COMMIT"])
        connection.forget()
        // Nothing of it is remembered as written.
        #expect(try deliver(batch))
        #expect(connection.outline == Self.plain)
    }

    @Test func `a delivery batch writes nothing if the shipper's row is missing`() throws {
        connection.answer("FOR UPDATE", .rows())
        #expect(try !deliver(try batch([.sample(1)])))
        #expect(
            connection.outline == ["SELECT make_day", "BEGIN", "SELECT through_id", "COMMIT"])
    }

    @Test(arguments: ["COPY exchange", "COPY connection", "UPDATE shipper", "COMMIT"])
    func `a failed delivery batch is rolled back and written completely at the next attempt`(
        statement: String
    ) throws {
        let error = CentralError.server(code: "40001", message: "again")
        connection.answer(statement, .failure(error), .rows())
        let batch = try batch([.sample(1, server: .sample(4, chain: [[1]]))])
        #expect(throws: error) { try deliver(batch) }
        #expect(connection.outline.suffix(2) == [statement, "ROLLBACK"])
        connection.forget()
        #expect(try deliver(batch))
        #expect(connection.outline == Self.plain)
    }

    @Test
    func `a connection and its certificate chain are delivered only with their first exchange`()
        throws
    {
        #expect(try deliver(try batch([.sample(1, server: .sample(4, chain: [[1]]))])))
        connection.forget()
        #expect(try deliver(try batch([.sample(2, server: .sample(4, chain: [[1]]))])))
        let expected = [
            "BEGIN", "SELECT through_id", "COPY exchange", "COPY content", "UPDATE shipper",
            "COMMIT",
        ]
        #expect(connection.outline == expected)
    }

    // MARK: What users added

    @Test
    func `annotations made in the central store are kept when their exchange is delivered again`()
        throws
    {
        let ids = [centralNumber(1, 1), centralNumber(1, 2)]
        var batch = try batch([.sample(1), .sample(2)])
        batch.laterVersions = [1, 2]
        connection.answer(
            "annotated_at IS NOT NULL",
            .rows(
                [.integer(ids[0]), .null, .texts(["a", "b"]), .boolean(true)],
                [.integer(ids[1]), .text("n"), .texts([]), .boolean(false)]))
        #expect(try deliver(batch))
        #expect(connection.arguments(of: "SELECT id") == [[.integers(ids)]])
        let deleted = connection.arguments(of: "DELETE FROM exchange")
        #expect(deleted == [[.integers(ids)]])
        let restored: [[CentralValue]] = [
            [.integer(ids[0]), .null, .texts(["a", "b"]), .boolean(true)],
            [.integer(ids[1]), .text("n"), .texts([]), .boolean(false)],
        ]
        #expect(connection.arguments(of: "UPDATE exchange") == restored)
        for update in connection.requests where update.outline == "UPDATE exchange" {
            #expect(update.sql.contains("annotated_at = now()"))
        }
    }

    @Test
    func `annotations delivered from the local store override those made in the central store`()
        throws
    {
        let id = centralNumber(1, 1)
        var batch = try batch([.sample(1)])
        batch.laterVersions = [1]
        batch.annotations = [
            (number: 1, annotations: Exchange.Annotations(note: "new", tags: ["t"]))
        ]
        connection.answer(
            "annotated_at IS NOT NULL",
            .rows([.integer(id), .text("old"), .texts([]), .boolean(true)]))
        #expect(try deliver(batch))
        let updates = connection.requests.filter { $0.outline == "UPDATE exchange" }
        let expected: [[CentralValue]] = [
            [.integer(id), .text("old"), .texts([]), .boolean(true)],
            [.integer(id), .text("new"), .texts(["t"]), .boolean(false)],
        ]
        #expect(updates.map(\.arguments) == expected)
        // It is not a change of the central store.
        #expect(updates.last?.sql.contains("annotated_at = annotated_at") == true)
    }

    @Test func `a removal deletes each exchange number under the shipper that delivered it`() throws
    {
        let generations = [
            ShipperLineage.Generation(shipper: 3, after: 20),
            ShipperLineage.Generation(shipper: 1, after: 0),
        ]
        let delivery = CentralDelivery(connection, ShipperLineage(generations))
        var batch = try batch()
        batch.removals = [15...25, 2...2]
        let state = try KnownShipper().state()
        #expect(try delivery.deliver(batch, after: state))
        let ranges: [[CentralValue]] = [
            [.integer(centralNumber(3, 21)), .integer(centralNumber(3, 25))],
            [.integer(centralNumber(1, 15)), .integer(centralNumber(1, 20))],
            [.integer(centralNumber(1, 2)), .integer(centralNumber(1, 2))],
        ]
        for table in ["content", "body_piece", "body_text", "message", "exchange"] {
            #expect(connection.arguments(of: "DELETE FROM \(table)") == ranges)
        }
        #expect(connection.arguments(of: "UPDATE shipper").first?.first == .integer(3))
    }
}
