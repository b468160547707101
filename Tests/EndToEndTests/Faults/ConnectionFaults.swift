import Foundation
import Testing

extension FaultMatrix {
    /// F9, F10, F29, F30: ends and pieces of connections.
    struct ConnectionFaults {
        @Test
        func `a response truncated by the server at any byte is never recorded as complete`()
            throws
        {
            let certificate = try TestCertificate()
            let proxy = try Daemon(trusting: certificate)
            let steps = [
                "--step", String(FaultScale.count(quick: 3, full: 1)),
                "--tls-step", String(FaultScale.count(quick: 29, full: 1)),
            ]
            let report = try FaultDriver.run(
                "fault_cuts", against: proxy, steps, tls: certificate)
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            #expect(report.int("bad_row_count") == 0, "\(report.object)")
            FaultReport.add(
                "F9", "a server ends at every byte (FIN, RST, no close_notify)",
                bar: "never a complete 200 but of a head without its empty line; rows say so",
                reached: "\(report.int("cuts") ?? 0) cuts, \(report.int("wrong_count") ?? -1) "
                    + "taken for whole, \(report.int("bad_row_count") ?? -1) wrong rows",
                isReached: report.int("wrong_count") == 0 && report.int("bad_row_count") == 0)
        }

        @Test func `a client that disconnects at any stage leaves no open sockets in proxyd`()
            throws
        {
            let certificate = try TestCertificate()
            let proxy = try Daemon(trusting: certificate)
            let count = FaultScale.count(quick: 52, full: 10_000)
            let report = try FaultDriver.run(
                "fault_vanish", against: proxy,
                [
                    "--count", String(count), "--warm",
                    String(FaultScale.count(quick: 13, full: 400)),
                ],
                seconds: 1_800, tls: certificate)
            let before = try #require(report.row("before")),
                after = try #require(report.row("after"))
            let leaked = (after.int("sockets") ?? .max) - (before.int("sockets") ?? 0)
            let grownKiB = (after.int("kib") ?? .max) - (before.int("kib") ?? 0)
            let slowest = report.double("slowest_s") ?? .infinity
            #expect(report.int("stuck_count") == 0, "\(report.object)")
            #expect(leaked <= 0, "\(report.object)")
            #expect(grownKiB < 16 << 10 || Sanitizer.isThere, "\(report.object)")
            FaultReport.add(
                "F10", "a client vanishes at 13 stages (FIN, RST)",
                bar: "10,000 ×: the server hears ≤ 1 s, nothing left",
                reached: "\(count) ×, \(FaultReport.text(slowest)) at most "
                    + "(\(report.text("slowest") ?? "")), \(max(0, leaked)) sockets and "
                    + "\(grownKiB) KiB left", isReached: slowest <= 1 && leaked <= 0)
        }

        @Test
        func `messages are forwarded unchanged if split at any byte or if ten come in one write`()
            throws
        {
            let proxy = try Daemon(configuration: "[threads]\nloop_count = 1\n")
            let report = try FaultDriver.run(
                "fault_splits", against: proxy,
                ["--step", String(FaultScale.count(quick: 5, full: 1))])
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            FaultReport.add(
                "F29", "messages split at every byte, ten glued", bar: "the same bytes",
                reached: "\(report.int("splits") ?? 0) splits, "
                    + "\(report.int("wrong_count") ?? -1) differ",
                isReached: report.int("wrong_count") == 0)
        }

        @Test func `a tunnel forwards every byte, whichever side closes first`() throws {
            let proxy = try Daemon()
            let mib = FaultScale.count(quick: 8, full: 100)
            let report = try FaultDriver.run(
                "fault_tunnels", against: proxy,
                [
                    "--octets", String(mib << 20), "--repeat",
                    String(FaultScale.count(quick: 3, full: 50)),
                ])
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            #expect(report.int("open_at_server") == 0)
            FaultReport.add(
                "F30", "half-closed tunnels, \(mib) MiB each way at once",
                bar: "every byte, then both sides end",
                reached: "\(report.int("tunnels") ?? 0) tunnels, "
                    + "\(report.int("wrong_count") ?? -1) wrong, "
                    + "\(report.int("open_at_server") ?? -1) left open",
                isReached: report.int("wrong_count") == 0 && report.int("open_at_server") == 0)
        }
    }
}

extension FaultMatrix {
    /// F25: TLS handshakes that break, on either side.
    struct HandshakeFaults {
        @Test(arguments: ["cut", "odd"])
        func `broken TLS handshakes leave no open sockets behind and affect no other client`(
            mode: String
        ) throws {
            let certificate = try TestCertificate()
            let proxy = try Daemon(trusting: certificate)
            let report = try FaultDriver.run(
                "fault_handshakes", against: proxy,
                [
                    "--mode", mode, "--step", String(FaultScale.count(quick: 100, full: 1)),
                    "--resumptions", String(FaultScale.count(quick: 30, full: 5_000)),
                    // Some 4,000 cuts or 5,000 resumptions each time.
                    "--repeat", String(FaultScale.count(quick: 1, full: mode == "cut" ? 3 : 2)),
                ], seconds: 1_800, tls: certificate)
            let before = try #require(report.row("before")),
                after = try #require(report.row("after"))
            let leaked = (after.int("sockets") ?? .max) - (before.int("sockets") ?? 0)
            let grownKiB = (after.int("kib") ?? .max) - (before.int("kib") ?? 0)
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            #expect(leaked <= 0, "\(report.object)")
            #expect(grownKiB < 16 << 10 || Sanitizer.isThere, "\(report.object)")
            let what =
                mode == "cut"
                ? "TLS handshakes cut at every byte of each flight"
                : "odd TLS clients, 5,000 resumptions"
            let count = report.int("handshakes") ?? 0
            FaultReport.add(
                "F25", what, bar: "others unharmed, nothing left after 10,000",
                reached: "\(count) handshakes, "
                    + "\(report.int("wrong_count") ?? -1) wrong, \(max(0, leaked)) sockets and "
                    + "\(grownKiB) KiB left",
                isReached: report.int("wrong_count") == 0 && leaked <= 0, isPart: count < 10_000)
        }
    }
}

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
