import Foundation
import Testing

extension FaultMatrix {
    /// F1, F2, F20: more clients than anyone needs.
    struct CrowdFaults {
        @Test func `a new client is served while hundreds of others are idle`() throws {
            let proxy = try Daemon()
            // The driver, too, needs a descriptor for each.
            let count = FaultScale.count(quick: 300, full: 9_700)
            let report = try crowd("idle", count, proxy, try TestCertificate())
            #expect(report.object["statuses"] as? [Int] == [200], "\(report.object)")
            let kib = report.double("kib_each") ?? .infinity
            let p99 = report.double("p99_ms") ?? .infinity
            let share = report.double("idle_share") ?? 1
            FaultReport.add(
                "F1", "\(count + 100) idle clients",
                bar: "≤ 6 KiB each, new request p99 ≤ 5 ms, < 1 % of a processor",
                reached: String(
                    format: "%.1f KiB, p99 %.1f ms (median %.1f), %.1f %%", kib, p99,
                    report.double("median_ms") ?? 0, share * 100),
                isReached: kib <= 6 && p99 <= 5 && share < 0.01)
        }

        @Test
        func `the fault report states how much memory idle intercepted clients take and give back`()
            throws
        {
            let certificate = try TestCertificate()
            let proxy = try Daemon(
                trusting: certificate,
                configuration: """
                    [limits]
                    idle_connections_per_origin_count_max = 10000
                    idle_connections_count_max = 10000
                    """)
            let count = FaultScale.count(quick: 50, full: 2_000)
            let report = try crowd("tls", count, proxy, certificate)
            // Whether that is little is for the report to say.
            let kib = try #require(report.double("kib_each"), "\(report.object)")
            let before = try #require(report.double("before_kib"), "\(report.object)")
            let atOnce = try #require(report.double("at_once_kib"), "\(report.object)")
            let after = try #require(report.double("after_kib"), "\(report.object)")
            #expect(min(before, atOnce, after) > 0, "\(report.object)")
            FaultReport.add(
                "F2", "\(count) idle intercepted clients, TLS on both sides",
                bar: "≤ 60 KiB a pair, given back within 10 %",
                reached: String(
                    format: "%.1f KiB; %.1f MiB resident before a second such crowd, ", kib,
                    before / 1_024)
                    + String(
                        format: "%.1f when it left, %.1f at rest",
                        atOnce / 1_024, after / 1_024),
                isReached: kib <= 60 && after <= before * 1.1)
        }

        @Test(arguments: FaultScale.current == .quick ? [64] : [64, 256, 1_024])
        func `proxyd survives more clients than it has file descriptors, then serves new ones`(
            limit: Int
        ) throws {
            let proxy = try Daemon(
                launcher: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"])
            let count = FaultScale.count(quick: 300, full: 2_000)
            let report = try crowd("flood", count, proxy, try TestCertificate())
            #expect(proxy.service.isRunning)
            try proxy.settle()
            #expect(try proxy.proxyctl(["check"]).status == 0)
            let share = report.double("share_while_full") ?? 1
            let recovered = report.double("recovered_s") ?? .infinity
            #expect(recovered < 30, "\(report.object)")
            FaultReport.add(
                "F20", "\(limit) descriptors, \(count) clients",
                bar: "< 20 % of a processor, recovers ≤ 1 s",
                reached: String(format: "%.0f %%, ", share * 100)
                    + "\(FaultReport.text(recovered)), \(report.int("served") ?? 0) served at once",
                isReached: share < 0.2 && recovered <= 1)
        }

        private func crowd(
            _ mode: String, _ count: Int, _ proxy: Daemon, _ certificate: TestCertificate
        ) throws -> Row {
            try FaultDriver.run(
                "fault_crowd", against: proxy,
                [
                    "--mode", mode, "--count", String(count),
                    "--idle-s", FaultScale.current == .quick ? "0.3" : "2.0",
                    // The daemon looks at its memory every five seconds.
                    "--rest-s", FaultScale.current == .quick ? "0" : "30",
                ], seconds: 300, tls: certificate)
        }
    }
}
