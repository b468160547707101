import Capture
import ProxydCaptureModel
@testable import ProxydCentralStore
import ProxydHTTPModel
import ProxydPostgresLink
import ProxydStoreTestSupport
import Testing
@testable import proxyship

/// Where a shipper goes on, and what both stores know of it afterwards.
@Suite struct RegistrationTests {
    private let store = TemporaryStore()
    private let central = FakeCentral()

    /// Three exchanges that start one after another.
    private func record(mark: Int64? = nil, through: Int64 = 3) throws {
        let recorder = try store.recorder()
        for number in 1...3 as ClosedRange<Int64> {
            recorder.record(
                Samples.complete(recorder.nextExchangeID(), wallStart: Samples.wallStart + number))
        }
        if let mark {
            try recorder.noteDelivery(
                DeliveryProgress(through: through, mark: mark, changesThrough: 0))
        }
        recorder.stop()
    }

    private func register(
        retentionAgeDays: Int? = nil
    ) throws -> (state: ShipperState, mark: Int64) {
        let plan = Shipper.Plan(
            directory: store.directory, location: try PostgresLocation("postgresql:///d"),
            name: "ci-1",
            configuration: ShippingConfiguration(retentionAgeDays: retentionAgeDays),
            endsWhenDone: true, takesNewIdentity: false)
        return try Registration(
            plan: plan, connection: central, reader: try store.reader(),
            notes: DeliveryNotes(directory: store.directory)
        ).register()
    }

    /// The central store has the shipper, and these numbers of its exchanges as they are here.
    private func deliver(_ numbers: [Int64], mark: Int64, through: Int64 = 3) {
        central.known = FakeCentral.Known(
            fingerprint: MachineIdentity.fingerprint(), mark: mark, through: through)
        for number in numbers {
            let id = CentralID.id(shipper: 1, number: number)
            central.starts[id] = Samples.wallStart + number
        }
    }

    @Test func `a new store is registered in the central store and its delivery mark is saved`()
        throws
    {
        try record()
        let (state, mark) = try register(retentionAgeDays: 30)
        #expect(mark > 0)
        #expect(state.name == "ci-1")
        #expect(state.throughID == 0)
        let local = try store.reader().deliveryState()
        let storeID = try #require(local.storeID)
        let claim: [CentralValue] = [
            .text("ci-1"), .bytes(storeID), .integer(1), .text(MachineIdentity.fingerprint()),
            .integer(mark), .integer(0), .integer(30), .integers([]), .text("ci-1"),
        ]
        #expect(central.inserted == [claim])
        #expect(central.executed == ["BEGIN", "COMMIT"])
        #expect(local.deliveredThrough == 0)
        #expect(local.mark == mark)
    }

    @Test
    func `a store without an identity cannot be registered until proxyd has been started once`()
        throws
    {
        try record()
        try UncheckedDatabase.edit(
            store.directory.storePath, "UPDATE store_state SET store_id = NULL")
        let error = #expect(throws: ShippingError.self) { try register() }
        #expect(error?.message == "the store has no identity yet; start proxyd once")
        #expect(central.executed.isEmpty)
    }

    @Test
    func `delivery of a known store resumes after the last exchange in the central store`()
        throws
    {
        try record(mark: 9, through: 2)
        deliver([1, 2, 3], mark: 9)
        let (state, mark) = try register()
        #expect(state.throughID == 3)
        #expect(central.inserted.isEmpty)
        #expect(central.updated == [[.integer(1), .integer(mark), .integer(9), .null]])
        let local = try store.reader().deliveryState()
        #expect(local.deliveredThrough == 3)
        #expect(local.mark == mark)
    }

    @Test
    func `a store is not taken for a restored backup if central retention removed its exchanges`()
        throws
    {
        try record(mark: 9)
        deliver([3], mark: 9)
        let (state, _) = try register()
        #expect(state.throughID == 3)
        #expect(central.inserted.isEmpty)
    }

    @Test func `a store that reuses exchange numbers is registered as a new shipper`() throws {
        try record(mark: 9)
        deliver([1, 2, 3], mark: 9)
        // What was delivered as number 3 started at another time.
        central.starts[CentralID.id(shipper: 1, number: 3)] = Samples.wallStart
        let (state, mark) = try register()
        #expect(state.name == "ci-1.2")
        #expect(state.throughID == 2)
        let claim = try #require(central.inserted.first)
        let rest: [CentralValue] = [
            .integer(mark), .integer(2), .null, .integers([]), .text("ci-1"),
        ]
        #expect(Array(claim[4...]) == rest)
        #expect(try store.reader().deliveryState().deliveredThrough == 2)
    }

    @Test
    func `if the local and central delivery marks differ, only missing exchanges are delivered`()
        throws
    {
        try record(mark: 8)
        deliver([1], mark: 9)
        #expect(try register().state.throughID == 1)
        #expect(central.inserted.first?.first == .text("ci-1.2"))
    }

    @Test
    func `if the delivery marks differ and no exchange is shared, the store is delivered in full`()
        throws
    {
        try record(mark: 8)
        deliver([], mark: 9)
        #expect(try register().state.throughID == 0)
    }

    @Test func `delivering a store copied to another machine is refused and leaves it unchanged`()
        throws
    {
        try record(mark: 9, through: 2)
        central.known = FakeCentral.Known(fingerprint: "machine:other", mark: 9, through: 3)
        let error = #expect(throws: ShippingError.self) { try register() }
        #expect(error?.isFinal == true)
        #expect(error?.message.contains("--new-identity") == true)
        #expect(central.executed == ["BEGIN", "ROLLBACK"])
        let local = try store.reader().deliveryState()
        #expect(local.mark == 9)
        #expect(local.deliveredThrough == 2)
    }

    @Test func `registration in the central store fails if the local store cannot save the mark`()
        throws
    {
        try record()
        let recorder = try store.recorder()
        let error = #expect(throws: ShippingError.self) { try register() }
        #expect(error?.message.contains("is in use by process") == true)
        #expect(error?.isFinal == false)
        recorder.stop()
    }
}
