import Foundation
import Testing

extension FaultMatrix {
    /// F7: another program keeps the store to itself.
    struct LockFaults {
        @Test(
            arguments: FaultScale.current == .quick
                ? [OtherProgram.Hold.alone] : [.writing, .alone])
        func `forwarding goes on, and all of it is stored afterwards`(
            hold: OtherProgram.Hold
        ) throws {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let batch = FaultScale.count(quick: 100, full: 400)
            var numbers = 0..<batch
            #expect(try rig.send(numbers, through: proxy).int("done") == numbers.count)
            try proxy.settle()
            let other = try OtherProgram(hold, store: proxy.directory + "/captures.sqlite")
            let clock = ContinuousClock()
            let start = clock.now
            let locked = Duration.seconds(FaultScale.count(quick: 1, full: 30))
            var longestQueue = 0
            repeat {
                numbers = numbers.upperBound..<(numbers.upperBound + batch)
                let sent = try rig.send(numbers, through: proxy)
                #expect(sent.int("done") == numbers.count, "\(sent.object)")
                longestQueue = max(longestQueue, try proxy.status().int("queue_bytes") ?? 0)
            } while clock.now - start < locked
            #expect(try proxy.status().object["recording"] as? Bool == false)
            other.end()
            let drained = try clock.measure { try proxy.settle() } / .seconds(1)
            for first in stride(from: 0, to: numbers.upperBound, by: batch) {
                try expectAll(first..<first + batch, rig, proxy)
            }
            let mib = String(format: "%.1f", Double(longestQueue) / 1_048_576)
            FaultReport.add(
                "F7", "store locked for \(locked) (\(hold.rawValue))",
                bar: "all forwarded, ≤ 64 MiB wait, all stored afterwards",
                reached: "\(numbers.upperBound) forwarded, \(mib) MiB waited, stored within "
                    + FaultReport.text(drained), isReached: longestQueue <= 64 << 20)
        }

        private func expectAll(_ numbers: Range<Int>, _ rig: LoadRig, _ proxy: Daemon) throws {
            let stored = try rig.check(numbers, in: proxy)
            #expect(stored.int("missing_count") == 0, "\(stored.object)")
            #expect(stored.int("wrong_count") == 0, "\(stored.object)")
            #expect(stored.text("integrity") == "ok")
        }
    }
}
