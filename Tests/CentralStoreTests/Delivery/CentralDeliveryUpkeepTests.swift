import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Days, retention, what the server rejects, and what is delivered beside exchanges.
@Suite struct CentralDeliveryUpkeepTests {
    private let connection = ScriptedConnection()
    private let delivery: CentralDelivery

    init() {
        delivery = CentralDelivery(
            connection, ShipperLineage([ShipperLineage.Generation(shipper: 1, after: 0)]))
        connection.answer("FOR UPDATE", .rows([.integer(0), .integer(0), .integers([])]))
    }

    private func deliver(_ exchanges: [DeliveredExchange]) throws {
        let state = try KnownShipper().state()
        var batch = DeliveryBatch(after: state)
        batch.exchanges = exchanges
        let isDelivered = try delivery.deliver(batch, after: state)
        #expect(isDelivered)
    }

    /// The days that were made.
    private var made: [[CentralValue]] { connection.arguments(of: "SELECT make_day") }

    // MARK: Days

    @Test func `a delivery creates each day's tables once, earliest first, before its transaction`()
        throws
    {
        try deliver([.sample(1, daysLater: 2), .sample(2), .sample(3, daysLater: 2)])
        #expect(made == [[.integer(9_456)], [.integer(9_458)]])
        #expect(
            connection.outline.prefix(3) == ["SELECT make_day", "SELECT make_day", "BEGIN"])
        try deliver([.sample(4), .sample(5, daysLater: 1)])
        #expect(made == [[.integer(9_456)], [.integer(9_458)], [.integer(9_457)]])
    }

    @Test func `a delivery creates tables for days before 2000 and at the limits of 64-bit time`()
        throws
    {
        let starts = [946_684_799_999_999_999, Int64.min, Int64.max]
        for start in starts {
            try deliver([DeliveredExchange(.sample(1, startedNs: start))])
        }
        // 2000-01-01 less a nanosecond, 1677-09-21 and 2262-04-11.
        #expect(made == [[.integer(-1)], [.integer(-117_709)], [.integer(95_794)]])
    }

    @Test func `a delivery tries again to create a day's tables after a failure`() throws {
        let error = CentralError.server(code: "53100", message: "no space")
        connection.answer("make_day", .failure(error), .rows([.boolean(true)]))
        #expect(throws: error) { try deliver([.sample(1)]) }
        #expect(connection.outline == ["SELECT make_day"])
        try deliver([.sample(1)])
        try deliver([.sample(2)])
        #expect(made == [[.integer(9_456)], [.integer(9_456)]])
    }

    @Test func `the central store's tables for today and tomorrow are created in advance`() throws {
        try delivery.prepareDays(fromNs: SampleTime.startedNs)
        #expect(made == [[.integer(9_456)], [.integer(9_457)]])
        try delivery.prepareDays(fromNs: SampleTime.startedNs + SampleTime.dayNs)
        #expect(made.count == 3)
    }

    @Test func `after days were dropped, a delivery no longer assumes that a day's tables exist`()
        throws
    {
        try deliver([.sample(1)])
        connection.answer("drop_days", .rows([.integer(24)]))
        #expect(try delivery.dropDays(beforeNs: SampleTime.startedNs) == 24)
        #expect(connection.arguments(of: "SELECT drop_days") == [[.integer(9_456)]])
        try deliver([.sample(2)])
        #expect(made == [[.integer(9_456)], [.integer(9_456)]])
    }

    // MARK: Retention

    @Test(
        arguments: [
            (1_760_000_000_000_000, 1_760_000_000_000_000_000),
            (0, 0),
            (9_223_372_036_854_775, 9_223_372_036_854_775_000),
            (-9_223_372_036_854_775, -9_223_372_036_854_775_000),
            // What no number of nanoseconds can say keeps all.
            (9_223_372_036_854_776, nil),
            (-9_223_372_036_854_776, nil),
            (.min, nil),
        ] as [(Int64, Int64?)])
    func `the central retention limit is converted to nanoseconds and ignored if out of range`(
        microseconds: Int64, expected: Int64?
    ) throws {
        connection.answer("max(retention_age_days)", .rows([.integer(microseconds)]))
        #expect(try delivery.keptFromNs() == expected)
    }

    @Test func `without a retention limit the central store keeps all days`() throws {
        #expect(try delivery.keptFromNs() == nil)
        connection.answer("max(retention_age_days)", .rows([.null]))
        #expect(try delivery.keptFromNs() == nil)
    }

    // MARK: The shipper

    @Test func `loading a shipper that was removed from the central store fails with an error`()
        throws
    {
        let error = #expect(throws: CentralError.self) { try delivery.state() }
        #expect(error == .location("the central store no longer knows this shipper"))
        let known = KnownShipper(throughID: 9, openIDs: [3])
        connection.answer("FROM shipper WHERE no", .rows(known.row))
        #expect(try delivery.state() == known.state())
        #expect(connection.requests.last?.arguments == [.integer(1)])
    }

    // MARK: Rejected exchanges

    /// A batch that delivers exchange 5, and more.
    private func rejectable(after state: ShipperState) -> DeliveryBatch {
        var batch = DeliveryBatch(after: state)
        batch.exchanges = [.sample(5)]
        batch.laterVersions = [5]
        batch.throughID = 5
        batch.openIDs = [2]
        batch.skipped = 1
        batch.removals = [1...1]
        batch.changeSequence = 8
        return batch
    }

    @Test
    func `an exchange rejected by PostgreSQL is noted and skipped; the change cursor stays put`()
        throws
    {
        let state = try KnownShipper().state()
        let error = CentralError.server(code: "22021", message: "bad byte")
        #expect(
            try delivery.reject(5, error, rejectable(after: state), after: state))
        #expect(
            connection.outline == [
                "BEGIN", "SELECT through_id", "INSERT INTO rejected", "UPDATE shipper", "COMMIT",
            ])
        let note: [CentralValue] = [
            .integer(1), .integer(5), .text("22021"), .text("bad byte"),
        ]
        #expect(connection.arguments(of: "INSERT INTO rejected") == [note])
        let cursor: [CentralValue] = [
            .integer(1), .integer(5), .integers([2]), .integer(0), .integer(0), .integer(1),
        ]
        #expect(connection.arguments(of: "UPDATE shipper") == [cursor])
    }

    @Test
    func `no exchange is marked as rejected if the shipper's cursor has moved in the meantime`()
        throws
    {
        let state = try KnownShipper(throughID: 4).state()
        let error = CentralError.server(code: "22021", message: "bad byte")
        #expect(
            try !delivery.reject(5, error, rejectable(after: state), after: state))
        #expect(connection.outline == ["BEGIN", "SELECT through_id", "COMMIT"])
    }

    @Test(arguments: [CentralError.connection("gone"), .cancelled, .location("wrong")])
    func `an exchange is not marked as rejected by an error that did not come from PostgreSQL`(
        error: CentralError
    ) throws {
        let state = try KnownShipper().state()
        #expect(throws: error) {
            try delivery.reject(5, error, rejectable(after: state), after: state)
        }
        #expect(connection.outline == [])
    }

    // MARK: Descriptions of messages

    @Test func `newly delivered protobuf descriptors replace the earlier ones`() throws {
        let files = [
            ProtoFile(name: "a.proto", source: .given, addedNs: 3, bytes: [1, 0]),
            ProtoFile(name: "b.proto", source: .reflection, addedNs: 4, bytes: []),
        ]
        try delivery.deliver(files)
        #expect(
            connection.outline == [
                "BEGIN", "DELETE FROM proto_file", "INSERT INTO proto_file",
                "INSERT INTO proto_file", "COMMIT",
            ])
        let rows: [[CentralValue]] = [
            [.integer(1), .text("a.proto"), .text("given"), .integer(3), .bytes([1, 0])],
            [.integer(1), .text("b.proto"), .text("reflection"), .integer(4), .bytes([])],
        ]
        #expect(connection.arguments(of: "INSERT INTO proto_file") == rows)
    }
}
