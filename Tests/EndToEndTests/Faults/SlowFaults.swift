import Foundation
import Testing

extension FaultMatrix {
    /// F11, F12 and what THREATS.md calls T34: clients that take their time.
    struct SlowFaults {
        @Test(arguments: ["heads", "bodies"])
        func `clients that send heads or bodies too slowly are disconnected, and others are served`(
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
