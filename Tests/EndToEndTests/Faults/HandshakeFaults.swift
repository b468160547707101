import Foundation
import Testing

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
