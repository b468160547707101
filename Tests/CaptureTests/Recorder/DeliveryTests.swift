@testable import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Synchronization
import Testing

@Suite struct `What a store knows of its delivery` {
    let store = TemporaryStore()

    /// What commits give.
    private final class Result: Sendable {
        let code = Mutex<Int32>(0)
    }

    private func changes(after sequence: Int64 = 0) throws -> [ExchangeChange] {
        try store.reader().changes(after: sequence, limit: 9)
    }

    @Test func `every store has its own identity and keeps it`() throws {
        try store.recorder().stop()
        let first = try store.reader().deliveryState()
        #expect(first.storeID?.count == 16)
        #expect(first == DeliveryState(storeID: first.storeID))
        try store.recorder().stop()
        #expect(try store.reader().deliveryState() == first)
        let other = TemporaryStore()
        try other.recorder().stop()
        #expect(try other.reader().deliveryState().storeID != first.storeID)
    }

    @Test
    func `annotations and removals are logged in a store only once delivery from it has begun`()
        throws
    {
        let recorder = try store.recorder()
        let ids = (0..<6).map { recorder.recordSample("/\($0)") }
        try recorder.annotate(AnnotationChange(id: ids[0], note: "before"))
        #expect(try recorder.clear(.exchanges([ids[1]])) == 1)
        #expect(try changes().isEmpty)
        #expect(try store.reader().deliveryState().lastChangeSequence == 0)

        try recorder.noteDelivery(DeliveryProgress(through: 0, mark: 5, changesThrough: 0))
        try recorder.annotate(AnnotationChange(id: ids[0], addedTags: ["t"]))
        let never = ExchangeID(rawValue: 9_999)
        #expect(try recorder.clear(.exchanges([ids[3], ids[2], ids[5], never])) == 3)
        #expect(throws: StoreError.notFound(9_999)) {
            try recorder.annotate(AnnotationChange(id: never, note: "x"))
        }
        let expected = [
            ExchangeChange(sequence: 1, ids: 1...1, kind: .annotated),
            ExchangeChange(sequence: 2, ids: 3...4, kind: .removed),
            ExchangeChange(sequence: 3, ids: 6...6, kind: .removed),
        ]
        #expect(try changes() == expected)
        #expect(try changes(after: 2) == [expected[2]])
        #expect(try store.reader().changes(after: 0, limit: 1) == [expected[0]])
        #expect(try store.reader().deliveryState().lastChangeSequence == 3)
        recorder.stop()
    }

    @Test func `annotations of imported exchanges are logged for delivery`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        try recorder.annotate(AnnotationChange(id: id, note: "n"))
        let exchange = try #require(try store.reader().exchange(id))
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 5, changesThrough: 0))
        let copy = try #require(try recorder.numbers(storing: [exchange]).first)
        #expect(try changes().map(\.ids) == [copy.rawValue...copy.rawValue])
        recorder.stop()
    }

    @Test
    func `delivered changes are removed from the log, and their sequence numbers are not reused`()
        throws
    {
        var recorder = try store.recorder()
        let id = recorder.recordSample()
        try recorder.noteDelivery(DeliveryProgress(through: 0, mark: 1, changesThrough: 0))
        for note in ["a", "b", "c"] { try recorder.annotate(AnnotationChange(id: id, note: note)) }
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: -7, changesThrough: 2))
        #expect(try changes().map(\.sequence) == [3])
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: -7, changesThrough: 3))
        #expect(try changes().isEmpty)
        recorder.stop()
        recorder = try store.recorder()
        try recorder.annotate(AnnotationChange(id: id, note: "d"))
        #expect(try changes().map(\.sequence) == [4])
        let state = try store.reader().deliveryState()
        #expect(state.deliveredThrough == 1)
        #expect(state.mark == -7)
        #expect(state.undeliveredLost == 0)
        #expect(state.lastChangeSequence == 4)
        recorder.stop()
    }

    @Test func `an annotation and its entry in the change log are stored together or not at all`()
        throws
    {
        let result = Result()
        var configuration = RecorderConfiguration.forTests
        configuration.faults = RecorderFaults(commitResult: { result.code.withLock { $0 } })
        let recorder = try store.recorder(configuration)
        let id = recorder.recordSample()
        try recorder.noteDelivery(DeliveryProgress(through: 0, mark: 1, changesThrough: 0))
        try recorder.annotate(AnnotationChange(id: id, note: "a"))
        // A constraint: the disk is not to blame, so recording does not pause.
        result.code.withLock { $0 = 19 }
        #expect(throws: StoreError.self) {
            try recorder.annotate(AnnotationChange(id: id, note: "b"))
        }
        #expect(throws: StoreError.self) {
            try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 2, changesThrough: 1))
        }
        result.code.withLock { $0 = 0 }
        #expect(try store.reader().annotations(of: id).note == "a")
        #expect(try changes().map(\.sequence) == [1])
        #expect(try store.reader().deliveryState().deliveredThrough == 0)
        try recorder.annotate(AnnotationChange(id: id, note: "c"))
        #expect(try changes().map(\.sequence) == [1, 2])
        recorder.stop()
    }

    @Test func `damaged entries of the change log are skipped`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 1, changesThrough: 0))
        recorder.stop()
        try UncheckedDatabase.edit(
            store.directory.storePath,
            """
            INSERT INTO change VALUES (1, 5, 4, 1), (2, 1, 1, 3), (3, 'x', 'y', 1), (4, 2, 3, 2),
              (\(Int64.max), 1, 1, 1)
            """)
        let found = try changes()
        #expect(found.map(\.sequence) == [4, .max])
        let again = try store.recorder()
        try again.annotate(AnnotationChange(id: id, note: "n"))
        #expect(try changes().map(\.sequence) == [4, 5, .max])
        #expect(again.status.state == .recording)
        again.stop()
    }

    @Test func `exchanges that are not delivered yet are counted`() throws {
        let recorder = try store.recorder()
        let ids = (0..<10).map { recorder.recordSample("/\($0)") }
        #expect(try recorder.clear(.exchanges([ids[8]])) == 1)
        let reader = try store.reader()
        #expect(try [0, 7, 10, .max].map { try reader.exchangeCount(after: $0) } == [9, 2, 0, 0])
        recorder.stop()
    }
}
