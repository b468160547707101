import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F32: half of a large store is deleted while recording goes on.
    struct RemovalFaults {
        /// The exchanges that the others are copies of.
        private static let sampleCount = 1_000

        @Test func `recording continues while half of the exchanges in a large store are deleted`()
            throws
        {
            let count = FaultScale.count(quick: 4_000, full: 100_000, long: 1_000_000)
            let rig = try LoadRig()
            let data = try Self.filled(count, rig)
            let proxy = try Daemon(trusting: rig.certificate, data: data)
            let last = try Self.number("SELECT last_exchange_id FROM store_state", proxy)
            let middle = try Self.number(
                "SELECT id FROM exchange ORDER BY id LIMIT 1 OFFSET \(count / 2 - 1)", proxy)
            let report = try FaultDriver.run(
                "fault_removal", against: proxy,
                [
                    "--through", String(middle), "--first", String(last + 1), "--rest",
                    String(FaultScale.count(quick: 0, full: 120, long: 900)),
                ], seconds: 1_800)
            #expect(report.int("removed") == count / 2, "\(report.object)")
            #expect(report.int("missing") == 0, "\(report.object)")
            try proxy.settle()
            let left = try Self.number("SELECT count(*) FROM exchange", proxy)
            #expect(left == count / 2 + (report.int("requests") ?? 0))
            #expect(try Self.number("SELECT min(id) FROM exchange", proxy) > middle)
            #expect(try Self.number("SELECT min(exchange_id) FROM content", proxy) > middle)
            #expect(try Self.number("SELECT min(exchange_id) FROM parameter", proxy) > middle)
            #expect(try proxy.proxyctl(["check"]).status == 0)
            #expect(proxy.stop() == 0)
            try Self.tell(report, count)
        }

        /// A data directory with a number of exchanges, and no daemon.
        private static func filled(_ count: Int, _ rig: LoadRig) throws -> ScratchFolder {
            let proxy = try Daemon(trusting: rig.certificate)
            #expect(
                try rig.send(0..<sampleCount, through: proxy).int("done") == sampleCount)
            try proxy.settle()
            #expect(proxy.stop() == 0)
            let filled = try Tool.run(
                "python3",
                ["-B", FaultDriver.script("fill_store"), proxy.directory, String(count)])
            guard filled.status == 0 else { throw Tool.Failure(description: filled.errors) }
            return proxy.data
        }

        private static func number(_ sql: String, _ proxy: Daemon) throws -> Int {
            let outcome = try Tool.run(
                "sqlite3", ["-readonly", proxy.directory + "/captures.sqlite", sql])
            guard let number = Int(outcome.text.trimmingCharacters(in: .newlines)) else {
                throw Tool.Failure(description: "\(sql): \(outcome.text) \(outcome.errors)")
            }
            return number
        }

        private static func tell(_ report: Row, _ count: Int) throws {
            let before = try #require(report.row("before"))
            let during = try #require(report.row("during"))
            let seconds = report.double("seconds") ?? .infinity
            let longest = during.double("longest_ms") ?? .infinity
            let heldUp = longest - (before.double("longest_ms") ?? 0)
            FaultReport.add(
                "F32", "\(count / 2) of \(count) exchanges deleted while recording goes on",
                bar: "500,000 ≤ 60 s, recording not held up > 100 ms",
                reached: FaultReport.text(seconds)
                    + String(
                        format: ", %.1f s of a processor; requests %.0f ms at most, stored after "
                            + "%.0f ms (median; %.0f before), p99 %.0f ms, %.0f ms at most "
                            + "(%.0f before)",
                        report.double("spent") ?? 0, report.double("request_ms") ?? 0,
                        during.double("median_ms") ?? 0, before.double("median_ms") ?? 0,
                        during.double("p99_ms") ?? 0, longest, before.double("longest_ms") ?? 0),
                isReached: seconds <= 60 && heldUp <= 100, isPart: count < 1_000_000)
        }
    }
}
