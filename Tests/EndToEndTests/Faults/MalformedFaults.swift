import Foundation
import Testing

extension FaultMatrix {
    /// F15: bytes that are no HTTP, or nearly are.
    struct MalformedFaults {
        @Test func `malformed requests do not affect valid requests on other connections`() throws {
            let proxy = try Daemon(
                configuration: "[recording]\nretention_exchange_count_max = 50000\n")
            let count = FaultScale.count(quick: 1_500, full: 100_000, long: 1_000_000)
            let report = try FaultDriver.run(
                "fault_malformed", against: proxy,
                ["--count", String(count), "--seed", String(Int.random(in: 1...999_999))],
                seconds: FaultScale.count(quick: 120, full: 1_200, long: 7_200))
            #expect(proxy.service.isRunning)
            #expect(report.int("good_wrong_count") == 0, "\(report.object)")
            #expect(report.row("answers")?.int("hang") == nil, "\(report.object)")
            #expect(try proxy.curl("http://127.0.0.1:\(proxy.port)/").status == 0)
            #expect(try proxy.proxyctl(["check"]).status == 0)
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F15", "malformed connections among good traffic",
                bar: "1,000,000 (`make faults-long`): no crash, good ones unharmed",
                reached: "\(report.int("malformed") ?? 0) malformed, "
                    + "\(report.int("good_wrong_count") ?? -1) of \(report.int("good") ?? 0) good "
                    + "ones harmed, \(report.int("grown_kib") ?? 0) KiB grown",
                isReached: report.int("good_wrong_count") == 0, isPart: count < 1_000_000)
        }
    }
}
