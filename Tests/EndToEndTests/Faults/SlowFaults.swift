import Foundation
import Testing

extension FaultMatrix {
    /// F11, F12 and what THREATS.md calls T34: clients that take their time.
    struct SlowFaults {
        @Test(arguments: ["heads", "bodies"])
        func `clients that send request heads or bodies too slowly are disconnected, others served`(
            mode: String
        ) throws {
            let limit = FaultScale.count(quick: 1, full: 10)
            let proxy = try Daemon(
                configuration: "[timeouts]\nrequest_head_s = \(limit)\nbody_idle_s = \(limit)\n")
            let count = FaultScale.count(quick: 50, full: 1_000)
            let report = try FaultDriver.run(
                "fault_slow", against: proxy,
                ["--mode", mode, "--count", String(count), "--limit-s", "\(limit).0"])
            #expect(report.int("left") == 0, "\(report.object)")
            #expect(report.int("others_wrong") == 0, "\(report.object)")
            let longest = report.double("longest_s") ?? .infinity
            FaultReport.add(
                "T34", "\(count) clients with slow \(mode)",
                bar: "gone after \(limit) s (+ 1 s), others served",
                reached: "the last after \(FaultReport.text(longest)), others waited "
                    + "\(FaultReport.text(report.double("others_slowest_s") ?? 0)) at most, "
                    + "\(report.int("grown_kib") ?? 0) KiB for all",
                isReached: longest <= Double(limit) + 1)
        }

        @Test(arguments: FaultScale.current == .quick ? [5] : [1, 50])
        func `slow readers and uploaders do not affect other clients`(count: Int) throws {
            let proxy = try Daemon()
            let report = try FaultDriver.run(
                "fault_slow", against: proxy,
                [
                    "--mode", "readers", "--count", String(count),
                    "--seconds", FaultScale.current == .quick ? "2.0" : "60.0",
                ])
            #expect(report.int("others_wrong") == 0, "\(report.object)")
            let grownMiB = Double(report.int("grown_kib") ?? .max) / 1_024
            let barMiB = count == 1 ? 8.0 : 64.0
            FaultReport.add(
                count == 1 ? "F11" : "F12",
                "\(count) slow readers of 1 GiB and as many slow uploaders",
                bar: "≤ \(Int(barMiB)) MiB more, others unharmed",
                reached: String(format: "%.1f MiB, others waited ", grownMiB)
                    + "\(FaultReport.text(report.double("others_slowest_s") ?? 0)) at most",
                isReached: grownMiB <= barMiB)
        }
    }
}
