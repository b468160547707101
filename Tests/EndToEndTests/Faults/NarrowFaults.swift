import Foundation
import Testing

extension FaultMatrix {
    /// F28: a link of 1 Mbit/s in small packets, and sockets with room for 2 KiB at both its ends.
    @Suite(.enabled(if: FaultNeeds.canNarrow, "tc is not installed, or a network not permitted"))
    struct NarrowFaults {
        @Test(arguments: FaultScale.current == .quick ? ["fault_splits"] : Self.drivers)
        func `split, truncated and tunneled traffic is handled correctly over a slow link`(
            driver: String
        ) throws {
            let certificate = try TestCertificate()
            let proxy = try Daemon(
                trusting: certificate, configuration: "[threads]\nloop_count = 1\n",
                launcher: FaultNeeds.narrowNetwork)
            let enter = [
                "nsenter", "--preserve-credentials", "-U", "-n", "-t", String(proxy.service.pid),
            ]
            let report = try FaultDriver.run(
                driver, against: proxy, Self.arguments(driver) + ["--buffer", "2048"],
                seconds: 600, tls: certificate, entering: enter)
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            FaultReport.add(
                "F28", "\(driver.dropFirst(6)) over 1 Mbit/s, buffers of 2 KiB",
                bar: "as over any link",
                reached: "\(Self.tried(report)) tried, \(report.int("wrong_count") ?? -1) wrong",
                isReached: report.int("wrong_count") == 0)
        }

        private static let drivers = [
            "fault_splits", "fault_cuts", "fault_tunnels", "fault_handshakes",
        ]

        private static func arguments(_ driver: String) -> [String] {
            switch driver {
            case "fault_splits": ["--step", String(FaultScale.count(quick: 40, full: 3))]
            case "fault_cuts": ["--step", "3", "--tls-step", "29"]
            case "fault_tunnels": ["--octets", "400000", "--repeat", "3"]
            default: ["--mode", "odd", "--resumptions", "100"]
            }
        }

        private static func tried(_ report: Row) -> Int {
            ["splits", "cuts", "tunnels", "handshakes"].compactMap(report.int).first ?? 0
        }
    }
}
