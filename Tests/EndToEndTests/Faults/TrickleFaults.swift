import Foundation
import Testing

extension FaultMatrix {
    /// F14: what comes a byte at a time.
    struct TrickleFaults {
        @Test func `traffic that arrives one byte at a time is forwarded completely`() throws {
            let certificate = try TestCertificate()
            let proxy = try Daemon(trusting: certificate)
            let count = FaultScale.count(quick: 20, full: 60, long: 600)
            let pause = FaultScale.current == .quick ? 0.05 : 1
            let report = try FaultDriver.run(
                "fault_trickle", against: proxy,
                ["--count", String(count), "--pause", String(pause)],
                seconds: 900, tls: certificate)
            #expect(report.int("missing") == 0, "\(report.object)")
            let slowest = report.double("slowest_ms") ?? .infinity
            FaultReport.add(
                "F14", "\(count) bytes, one every \(FaultReport.text(pause)), on 7 connections",
                bar: "each forwarded ≤ 50 ms",
                reached: String(
                    format: "%d passed, median %.1f ms, slowest %.0f ms, %d later than 50 ms",
                    report.int("octets") ?? 0, report.double("median_ms") ?? 0, slowest,
                    report.int("late") ?? 0), isReached: slowest <= 50, isPart: count < 600)
        }
    }
}
