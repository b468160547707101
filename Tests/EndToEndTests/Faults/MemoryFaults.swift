import Foundation
import Testing

extension FaultMatrix {
    /// F21: memory that the kernel limits.
    @Suite(
        .enabled(if: MemoryGroup.canMake, "a control group of one's own is not permitted"),
        .disabled(if: Sanitizer.isThere, "a sanitizer's own memory does not fit into it"))
    struct MemoryFaults {
        @Test
        func `under load and with slow clients, proxyd stays within a memory limit of 256 MiB`()
            throws
        {
            let rig = try LoadRig()
            let group = try MemoryGroup(limitMiB: 256)
            let proxy = try Daemon(trusting: rig.certificate, launcher: group.launcher)
            let seconds = FaultScale.count(quick: 2, full: 60, long: 600)
            let slowCount = FaultScale.count(quick: 5, full: 50)
            let slow = LoadInBackground {
                try FaultDriver.run(
                    "fault_slow", against: proxy,
                    ["--mode", "readers", "--count", "\(slowCount)", "--seconds", "\(seconds).0"],
                    seconds: seconds + 60)
            }
            let batch = FaultScale.count(quick: 100, full: 1_000)
            var numbers = 0..<0
            repeat {
                numbers = numbers.upperBound..<numbers.upperBound + batch
                let sent = try rig.send(numbers, through: proxy, ["--connections", "64"])
                #expect(sent.int("done") == batch, "\(sent.object)")
            } while slow.isRunning
            let slowReport = try slow.result()
            #expect(slowReport.int("others_wrong") == 0, "\(slowReport.object)")
            #expect(proxy.service.isRunning)
            try proxy.settle()
            let stored = try rig.check(0..<numbers.upperBound, in: proxy)
            #expect(stored.int("missing_count") == 0, "\(stored.object)")
            let residentMiB = Double(try proxy.residentKiB()) / 1_024
            let highestMiB = try group.highestMiB()
            let kills = try group.killCount()
            #expect(kills == 0)
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F21", "a limit of 256 MiB: mixed load, \(slowCount) slow readers and uploaders",
                bar: "nobody ended in 10 minutes; sheds before",
                reached: String(
                    format: "%d s, %d requests all right and stored, %d ended; %.0f MiB resident, ",
                    seconds, numbers.upperBound, kills, residentMiB)
                    + String(format: "%.0f MiB with cached files", highestMiB),
                isReached: kills == 0, isPart: seconds < 600)
        }
    }
}
