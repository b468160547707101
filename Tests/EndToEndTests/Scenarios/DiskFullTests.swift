import Foundation
import ProxydTestSupport
import Testing

/// A full disk stops recording, visibly, and not the proxy; room brings recording back.
@Suite(
    .serialized, .enabled(if: SmallDisk.canMount, "mounting a disk of one's own is not permitted"))
struct DiskFullTests {
    /// A floor that is met before the disk is full, and none: then SQLite finds out.
    @Test(arguments: [0, 4 << 20])
    func `while the disk is full, recording pauses and the proxy keeps forwarding`(
        floorByteCount: Int
    ) throws {
        let rig = try LoadRig()
        let disk = try SmallDisk(
            rig, "[recording]\nfree_space_floor_byte_count = \(floorByteCount)\n")
        let proxy = disk.proxy
        var numbers = 0..<100
        func send() throws {
            let sent = try rig.send(numbers, through: proxy)
            #expect(sent.int("done") == numbers.count, "\(sent.object)")
        }
        func next() { numbers = numbers.upperBound..<(numbers.upperBound + 100) }
        try send()
        try proxy.settle()
        try disk.fill()
        // What SQLite has room for in its files already goes on being recorded.
        repeat {
            next()
            try send()
        } while try isRecording(proxy) && numbers.upperBound < 5_000
        let stopped = try proxy.status()
        #expect(stopped.object["recording"] as? Bool == false, "\(stopped.object)")
        #expect(stopped.text("recording_stopped_because")?.contains("full") == true)
        next()
        try send()
        try disk.makeRoom()
        try Eventually.isTrue(orFail: "it does not record again") { try isRecording(proxy) }
        next()
        try send()
        try proxy.settle()
        try expectWhole(rig, proxy, first: 0..<100, last: numbers)
    }

    private func isRecording(_ proxy: Daemon) throws -> Bool {
        try proxy.status().object["recording"] as? Bool == true
    }

    /// What came before and behind the pause is whole; what came in it is there, or counted.
    private func expectWhole(
        _ rig: LoadRig, _ proxy: Daemon, first: Range<Int>, last: Range<Int>
    ) throws {
        for numbers in [first, last] {
            let stored = try rig.check(numbers, in: proxy)
            #expect(stored.int("missing_count") == 0, "\(numbers): \(stored.object)")
            #expect(stored.int("wrong_count") == 0, "\(numbers): \(stored.object)")
            #expect(stored.text("integrity") == "ok")
        }
        let status = try proxy.status()
        let rows = try rig.check(0..<last.upperBound, in: proxy, only: [])
        let counted = (rows.int("rows") ?? 0) + (status.int("dropped_exchanges") ?? 0)
        #expect(counted == last.upperBound, "\(rows.object) \(status.object)")
    }
}
