import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydCentralStore
@testable import proxyship

/// Which exchanges of a store are delivered next.
@Suite struct BatchMakerTests {
    private let store = TemporaryStore()

    private func record(_ count: Int) throws {
        let recorder = try store.recorder()
        for _ in 0..<count {
            let id = recorder.nextExchangeID()
            recorder.record(Samples.complete(id, "/\(id)"))
        }
        recorder.stop()
    }

    private func newMaker(
        _ filter: String? = nil, redacts: Bool = false, isFinal: Bool = false
    ) throws -> BatchMaker {
        let filter = try filter.map { try Filter.parse($0) }
        return BatchMaker(
            try store.reader(), filter: filter, redacts: redacts, isFinal: isFinal)
    }

    private func next(
        _ maker: inout BatchMaker, through: Int64 = 0, open: [Int64] = [],
        keptFromNs: Int64? = nil, countMax: Int = .max
    ) throws -> BatchOutline? {
        let state = try ShipperState.sample(through: through, open: open)
        return try maker.next(after: state, keptFromNs: keptFromNs, countMax: countMax)?.outline
    }

    // MARK: What has ended

    @Test func `proxyship makes no batch from a store without exchanges`() throws {
        try store.recorder().stop()
        var maker = try newMaker()
        let batch = try next(&maker)
        #expect(batch == nil)
    }

    @Test func `completed exchanges are delivered once, in the order of their numbers`() throws {
        try record(3)
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(first == BatchOutline(ids: [1, 2, 3], through: 3))
        let second = try next(&maker, through: 3)
        #expect(second == nil)
        let rest = try next(&maker, through: 2)
        #expect(rest == BatchOutline(ids: [3], through: 3))
    }

    @Test func `a delivery batch has at most 1,000 exchanges, or fewer if requested`() throws {
        try record(1_002)
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(first == BatchOutline(ids: Array(1...1_000), through: 1_000))
        let rest = try next(&maker, through: 1_000)
        #expect(rest == BatchOutline(ids: [1_001, 1_002], through: 1_002))
        let one = try next(&maker, through: 7, countMax: 1)
        #expect(one == BatchOutline(ids: [8], through: 8))
    }

    @Test func `a delivery batch has at most 4 MiB of bodies, unless a single exchange has more`()
        throws
    {
        let recorder = try store.recorder()
        for count in [3 << 20, 1 << 20, 5 << 20, 1] {
            let body = [UInt8](repeating: 0x61, count: count)
            recorder.record(Samples.complete(recorder.nextExchangeID(), responseBody: body))
        }
        recorder.stop()
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(first == BatchOutline(ids: [1, 2], through: 2))
        let second = try next(&maker, through: 2)
        #expect(second == BatchOutline(ids: [3], through: 3))
        let third = try next(&maker, through: 3)
        #expect(third == BatchOutline(ids: [4], through: 4))
    }

    @Test
    func `open and complete exchanges older than the retention period are skipped and counted`()
        throws
    {
        let recorder = try store.recorder()
        for start in [99, 100, 98, .min + 1] as [Int64] {
            recorder.record(Samples.complete(recorder.nextExchangeID(), wallStart: start))
        }
        var open = Samples.begun(recorder.nextExchangeID())
        open.timeline = Timeline(wallStart: 7, start: 0)
        recorder.record(open)
        recorder.stop()
        var maker = try newMaker()
        let batch = try next(&maker, keptFromNs: 100)
        #expect(batch == BatchOutline(ids: [2], through: 5, skipped: 4))
    }

    @Test func `exchanges that do not match proxyship's filter are skipped and not tested again`()
        throws
    {
        try record(5)
        var maker = try newMaker("path=/2 or path=/4")
        let batch = try next(&maker)
        #expect(batch == BatchOutline(ids: [2, 4], through: 5))
        var strict = try newMaker("path=/6")
        let nothing = try next(&strict)
        #expect(nothing == BatchOutline(through: 5))
    }

    // MARK: What is open

    @Test func `an open exchange is delivered in its current state, and again when it has ended`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        recorder.record(Samples.begun(id))
        try recorder.flush()
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(first == BatchOutline(ids: [1], through: 1, open: [1]))
        // It was not confirmed: the transaction may have failed.
        let again = try next(&maker)
        #expect(again == first)
        maker.confirm(try ShipperState.sample(through: 1, open: [1]))
        let waiting = try next(&maker, through: 1, open: [1])
        #expect(waiting == nil)
        recorder.record(Samples.later(id, .complete))
        try recorder.flush()
        let last = try next(&maker, through: 1, open: [1])
        #expect(last == BatchOutline(ids: [1], later: [1], through: 1))
        recorder.stop()
    }

    @Test
    func `an exchange that has only just begun is not delivered unless proxyship is exiting`()
        throws
    {
        let recorder = try store.recorder()
        var update = Samples.begun(recorder.nextExchangeID())
        // It begins in an hour, so that it is young however long the test takes.
        let soon = Int64(Date().timeIntervalSince1970) + 3_600
        update.timeline = Timeline(wallStart: soon * 1_000_000_000, start: 0)
        recorder.record(update)
        try recorder.flush()
        var patient = try newMaker()
        let nothing = try next(&patient)
        #expect(nothing == BatchOutline(through: 1, open: [1]))
        var last = try newMaker(isFinal: true)
        let everything = try next(&last)
        #expect(everything == BatchOutline(ids: [1], through: 1, open: [1]))
        recorder.stop()
    }

    @Test func `open exchanges that do not fit into a batch are delivered in the next one`() throws
    {
        try record(4)
        var maker = try newMaker()
        let batch = try next(&maker, through: 3, open: [1, 2, 3], countMax: 2)
        #expect(batch == BatchOutline(ids: [1, 2], later: [1, 2], through: 3, open: [3]))
        let rest = try next(&maker, through: 3, open: [3])
        #expect(rest == BatchOutline(ids: [3, 4], later: [3], through: 4))
    }

    @Test
    func `proxyship looks again for exchange numbers that were missing in an earlier batch`()
        throws
    {
        let recorder = try store.recorder()
        let ids = (0..<4).map { _ in recorder.nextExchangeID() }
        for id in [ids[1], ids[3]] { recorder.record(Samples.complete(id)) }
        try recorder.flush()
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(first == BatchOutline(ids: [2, 4], through: 4, open: [1, 3]))
        let waiting = try next(&maker, through: 4, open: [1, 3])
        #expect(waiting == nil)
        recorder.record(Samples.complete(ids[2]))
        try recorder.flush()
        let late = try next(&maker, through: 4, open: [1, 3])
        #expect(late == BatchOutline(ids: [3], later: [3], through: 4, open: [1]))
        recorder.stop()
    }

    @Test func `proxyship gives up on missing exchange numbers more than 10,000 behind the newest`()
        throws
    {
        let recorder = try store.recorder()
        let ids = (0..<10_010).map { _ in recorder.nextExchangeID() }
        for id in [ids[0], ids[10_009]] { recorder.record(Samples.complete(id)) }
        recorder.stop()
        var maker = try newMaker()
        let first = try next(&maker)
        #expect(
            first
                == BatchOutline(ids: [1, 10_010], through: 10_010, open: Array(10...10_009)))
        let later = try next(&maker, through: 10_010, open: [9, 10])
        #expect(later == BatchOutline(through: 10_010, open: [10]))
    }

    // MARK: What users change

    @Test(arguments: [false, true])
    func `notes, tags and removals are delivered; with redaction, they contain no credentials`(
        redacts: Bool
    ) throws {
        let recorder = try store.recorder()
        let ids = (0..<4).map { recorder.recordSample("/\($0)") }
        try recorder.noteDelivery(DeliveryProgress(through: 4, mark: 1, changesThrough: 0))
        try recorder.annotate(
            AnnotationChange(
                id: ids[0], note: "password=hunter2", addedTags: ["token=s3cr3t", "slow"],
                isPinned: true))
        #expect(try recorder.clear(.exchanges([ids[1], ids[2]])) == 2)
        recorder.stop()
        var maker = try newMaker(redacts: redacts)
        let found = try maker.next(after: .sample(through: 4), keptFromNs: nil)
        let batch = try #require(found)
        #expect(batch.outline == BatchOutline(through: 4))
        #expect(batch.removals == [2...3])
        #expect(batch.changeSequence == 2)
        #expect(batch.annotations.map { $0.number } == [1])
        let expected = Exchange.Annotations(
            note: redacts ? "password=REDACTED" : "password=hunter2",
            tags: [redacts ? "token=REDACTED" : "token=s3cr3t", "slow"], isPinned: true)
        #expect(batch.annotations.map { $0.annotations } == [expected])
        let rest = try maker.next(after: .sample(through: 4, changes: 2), keptFromNs: nil)
        #expect(rest?.outline == nil)
    }

    @Test func `an exchange that was annotated and then removed is delivered as removed`() throws {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 1, changesThrough: 0))
        try recorder.annotate(AnnotationChange(id: id, note: "n"))
        #expect(try recorder.clear(.exchanges([id])) == 1)
        recorder.stop()
        var maker = try newMaker()
        let batch = try maker.next(after: .sample(through: 1), keptFromNs: nil)
        #expect(batch?.removals == [1...1])
        #expect(batch?.annotations.map { $0.annotations } == [Exchange.Annotations()])
        #expect(batch?.changeSequence == 2)
    }
}

/// What a batch delivers, by the numbers of exchanges.
struct BatchOutline: Equatable {
    var ids: [Int64] = []
    var later: [Int64] = []
    var through: Int64
    var open: [Int64] = []
    var skipped: Int64 = 0
}

extension DeliveryBatch {
    /// The batch without the contents of its exchanges.
    var outline: BatchOutline {
        BatchOutline(
            ids: exchanges.map { $0.record.id }, later: laterVersions, through: throughID,
            open: openIDs, skipped: skipped)
    }
}
