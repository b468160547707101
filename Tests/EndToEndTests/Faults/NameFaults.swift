import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F18, F19: names and addresses that lead nowhere.
    @Suite(.enabled(if: FaultNeeds.canServeNames, "needs port 53 and a mount namespace of its own"))
    struct NameFaults {
        @Test
        func `requests to many unresolvable hosts use at most 16 resolver threads`()
            throws
        {
            let data = try ScratchFolder()
            let resolver = data.path + "/resolv.conf"
            try "nameserver 127.0.0.77\n".write(toFile: resolver, atomically: true, encoding: .utf8)
            let resolveSeconds = FaultScale.count(quick: 1, full: 5)
            let connectSeconds = FaultScale.count(quick: 2, full: 10)
            let unshare = try #require(Tool.find("unshare"))
            let proxy = try Daemon(
                configuration: """
                    [timeouts]
                    resolve_s = \(resolveSeconds)
                    connect_s = \(connectSeconds)
                    """, data: data,
                launcher: [
                    unshare, "-rm", "/bin/sh", "-c",
                    "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"", resolver,
                ], hasOwnMounts: true)
            let report = try FaultDriver.run(
                "fault_names", against: proxy,
                [
                    "--names", String(FaultScale.count(quick: 16, full: 1_000)),
                    "--resolve-s", "\(resolveSeconds).0", "--connect-s", "\(connectSeconds).0",
                ], seconds: 600)
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            let threads = report.int("resolver_threads") ?? .max
            #expect(threads <= 16, "\(report.object)")
            let late = report.object["late"] as? [String] ?? ["?"]
            let cases = report.row("cases")
            func time(_ name: String) -> String {
                FaultReport.text(cases?.row(name + ".test")?.double("s") ?? .infinity)
            }
            FaultReport.add(
                "F18", "names: no answer, SERVFAIL, unknown, changing, dead IPv6, many at once",
                bar: "decided ≤ \(resolveSeconds) s, ≤ 16 threads, the other family ≤ 300 ms",
                reached: "\(time("silent")), \(time("servfail")), \(time("unknown")); dead IPv6 "
                    + "\(time("deadsix")); \(threads) threads",
                isReached: threads <= 16 && late.isEmpty && report.int("wrong_count") == 0)
            FaultReport.add(
                "F19", "refused; a black hole; 3 of 4 addresses dead",
                bar: "502 ≤ 100 ms; at \(connectSeconds) s ± 10 %; reached",
                reached: "\(time("refused")); \(time("hole")); \(time("four"))",
                isReached: late.isEmpty)
        }
    }
}
