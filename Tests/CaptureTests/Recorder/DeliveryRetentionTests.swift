@testable import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Synchronization
import Testing

/// Retention in a store that is delivered to a central one.
@Suite(.timeLimit(.minutes(10))) struct `Retention and delivery` {
    let store = TemporaryStore()

    /// The free space of a disk.
    private final class Disk: Sendable {
        let free = Mutex<Int64>(.max)
    }

    /// A floor of 1,000 bytes, and ten exchanges at most.
    private func configuration(_ disk: Disk, waits: Bool = true) -> RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 1_000
        configuration.retention = RetentionPolicy(exchangeCountMax: 10)
        configuration.retention.waitsForDelivery = waits
        configuration.faults = RecorderFaults(freeByteCount: { disk.free.withLock { $0 } })
        return configuration
    }

    /// A closed store with some exchanges, delivered through one of them.
    private func prepare(count: Int, through: Int64?) throws {
        let recorder = try store.recorder()
        for number in 0..<count { recorder.recordSample("/\(number)") }
        if let through {
            try recorder.noteDelivery(
                DeliveryProgress(through: through, mark: 1, changesThrough: 0))
        }
        recorder.stop()
    }

    /// Waits until retention has left as many exchanges; a long time must pass to fail.
    private func wait(_ recorder: Recorder, untilCount count: Int64) async throws {
        while recorder.status.exchangeCount != count { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func lostCount() throws -> Int64 {
        try store.reader().deliveryState().undeliveredLost
    }

    /// What a keeper would remove of the closed store.
    private func victims(isSpaceScarce: Bool, waits: Bool = true) throws -> [Int64] {
        let opened = try StoreOpening.open(store.directory)
        let configuration = configuration(Disk(), waits: waits)
        let writer = try StoreWriter(opened.connection, configuration)
        return try RetentionKeeper(configuration.retention)
            .victims(writer, isSpaceScarce: isSpaceScarce, countMax: 99)
    }

    @Test func `retention removes only exchanges that were delivered, unless disk space is scarce`()
        throws
    {
        try prepare(count: 30, through: 5)
        #expect(try victims(isSpaceScarce: false) == Array(1...5))
        #expect(try victims(isSpaceScarce: true) == Array(1...20))
        #expect(try victims(isSpaceScarce: false, waits: false) == Array(1...20))
    }

    @Test func `retention does not wait for delivery if nothing was ever delivered from the store`()
        throws
    {
        try prepare(count: 30, through: nil)
        #expect(try victims(isSpaceScarce: false) == Array(1...20))
    }

    @Test func `retention removes exchanges over the limit only when they have been delivered`()
        async throws
    {
        try prepare(count: 30, through: 5)
        let recorder = try store.recorder(configuration(Disk()))
        // In one step: had the others been removed too, this number would never be seen.
        try await wait(recorder, untilCount: 25)
        try recorder.noteDelivery(DeliveryProgress(through: 18, mark: 1, changesThrough: 0))
        try await wait(recorder, untilCount: 12)
        try recorder.noteDelivery(DeliveryProgress(through: 30, mark: 1, changesThrough: 0))
        try await wait(recorder, untilCount: 10)
        recorder.stop()
        #expect(try lostCount() == 0)
        #expect(try store.reader().changes(after: 0, limit: 9).isEmpty)
    }

    /// Above the floor but near it, and below it, where recording pauses.
    @Test(arguments: [1_100, 900])
    func `if disk space is scarce, retention also removes and counts undelivered exchanges`(
        free: Int64
    ) async throws {
        try prepare(count: 30, through: 5)
        let disk = Disk()
        let recorder = try store.recorder(configuration(disk))
        try await wait(recorder, untilCount: 25)
        disk.free.withLock { $0 = free }
        try await wait(recorder, untilCount: 10)
        let wanted: RecorderStatus.State = free < 1_000 ? .paused(.diskFull) : .recording
        while recorder.status.state != wanted { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try lostCount() == 15)
        disk.free.withLock { $0 = .max }
        while recorder.status.state != .recording { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
        #expect(try store.reader().changes(after: 0, limit: 9).isEmpty)
        #expect(try store.reader().integrityCheck().isEmpty)
    }

    @Test func `delivery progress is saved while recording is paused for lack of disk space`()
        async throws
    {
        try prepare(count: 8, through: 5)
        let disk = Disk()
        disk.free.withLock { $0 = 900 }
        let recorder = try store.recorder(configuration(disk))
        while recorder.status.state == .recording { try await Task.sleep(for: .milliseconds(5)) }
        try recorder.noteDelivery(DeliveryProgress(through: 8, mark: 1, changesThrough: 0))
        #expect(try store.reader().deliveryState().deliveredThrough == 8)
        #expect(recorder.status.state == .paused(.diskFull))
        recorder.stop()
    }

    @Test func `retention for lack of disk space removes no more exchanges than necessary`()
        async throws
    {
        try prepare(count: 1_600, through: 0)
        var configuration = configuration(Disk())
        let path = store.directory.storePath
        let full = try #require(Self.byteCount(path))
        // There is room as soon as the file has become smaller.
        configuration.faults = RecorderFaults(
            freeByteCount: { Self.byteCount(path).map { $0 < full } == true ? .max : 1_100 })
        let recorder = try store.recorder(configuration)
        let count = Int64(RemovalStep.countMax)
        try await wait(recorder, untilCount: 1_600 - count)
        // Its turn comes only when retention has ended.
        #expect(try recorder.clear(.exchanges([ExchangeID(rawValue: 1_600)])) == 1)
        #expect(recorder.status.exchangeCount == 1_599 - count)
        recorder.stop()
        #expect(try lostCount() == count)
    }

    private static func byteCount(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    @Test func `undelivered exchanges are counted as lost if retention need not wait for delivery`()
        async throws
    {
        try prepare(count: 30, through: 5)
        let recorder = try store.recorder(configuration(Disk(), waits: false))
        try await wait(recorder, untilCount: 10)
        recorder.stop()
        #expect(try lostCount() == 15)
    }

    @Test func `undelivered exchanges that a user clears are not counted as lost`() throws {
        try prepare(count: 30, through: 5)
        let recorder = try store.recorder()
        #expect(try recorder.clear(.all) == 30)
        recorder.stop()
        #expect(try lostCount() == 0)
        #expect(try store.reader().changes(after: 0, limit: 9).map(\.ids) == [1...30])
    }

    @Test func `a user can clear exchanges while recording is paused for lack of disk space`()
        async throws
    {
        try prepare(count: 30, through: nil)
        let disk = Disk()
        disk.free.withLock { $0 = 900 }
        let recorder = try store.recorder(configuration(disk))
        while recorder.status.state == .recording { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try recorder.clear(.all) <= 30)
        #expect(recorder.status.exchangeCount == 0)
        #expect(recorder.status.state == .paused(.diskFull))
        recorder.stop()
    }
}
