import Foundation
import Testing

extension FaultMatrix {
    /// F35: programs that follow and do not read, die, or ask too much.
    struct SubscriberFaults {
        @Test
        func
            `stalled or killed subscribers and floods of control commands do not affect recording`()
            throws
        {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let program = try Tool.built("proxyctl")
            let followers = try (0..<4).map { _ in
                try Service(program, ["--data-dir", proxy.directory, "tail", "--json"])
            }
            let batch = FaultScale.count(quick: 300, full: 20_000)
            #expect(try rig.send(0..<50, through: proxy).int("done") == 50)
            followers[0].signal(SIGSTOP)
            followers[1].signal(SIGSTOP)
            let stalled = try Self.subscribers(proxy)
            let before = try proxy.residentKiB()
            let load = LoadInBackground(rig, 50..<50 + batch, proxy)
            followers[2].signal(SIGKILL)
            let flood = try FaultDriver.run(
                "fault_control", against: proxy,
                ["--count", String(FaultScale.count(quick: 200, full: 5_000))])
            let sent = try load.result()
            #expect(sent.int("done") == batch, "\(sent.object)")
            try proxy.settle()
            let grownMiB = (try proxy.residentKiB() - before) / 1_024
            // Two that are stopped, twenty that never read.
            let eachMiB = Double(grownMiB) / 22
            #expect(eachMiB <= 4 || Sanitizer.isThere)
            let stored = try rig.check(50..<50 + batch, in: proxy)
            #expect(stored.int("wrong_count") == 0, "\(stored.object)")
            #expect(stored.int("missing_count") == 0, "\(stored.object)")
            for follower in followers { follower.signal(SIGKILL) }
            withExtendedLifetime(stalled) {}
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F35", "followers stall and die, \(flood.int("sent") ?? 0) odd commands",
                bar: "capture unaffected, ≤ 4 MiB wait for a follower",
                reached: "\(sent.int("done") ?? 0) of \(batch) recorded, \(grownMiB) MiB grown, "
                    + String(format: "%.1f for each that stalls", eachMiB),
                isReached: sent.int("done") == batch && stored.int("missing_count") == 0
                    && stored.int("wrong_count") == 0 && eachMiB <= 4)
        }

        /// News until they are dropped: 100,000 commits, or so.
        @Test(.enabled(if: FaultScale.current > .quick, "takes minutes; see SubscriptionTests"))
        func `a subscriber that never reads is disconnected when 4 MiB are queued for it`() throws {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            #expect(try rig.send(0..<50, through: proxy).int("done") == 50)
            let count = 20
            let report = try FaultDriver.run(
                "fault_followers", against: proxy, ["--count", String(count)], seconds: 600)
            let waited = try #require(report.object["waited"] as? [Int])
            // A batch of news is under way while the driver looks.
            let limit = 4 << 20, batch = 64 << 10
            #expect(report.int("dropped") == count, "\(report.object)")
            #expect(waited.allSatisfy { abs($0 - limit) <= batch }, "\(report.object)")
            let eachKiB = (report.int("grown_kib") ?? .max) / count
            #expect(eachKiB < 8 << 10, "\(report.object)")
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F35", "\(count) followers that never read", bar: "each dropped at 4 MiB",
                reached: "\(report.int("dropped") ?? 0) dropped, when \((waited.first ?? 0) >> 10) "
                    + "to \((waited.last ?? 0) >> 10) KiB waited; \(eachKiB) KiB of memory each, "
                    + "\(report.int("left_kib") ?? 0) KiB left of all",
                // What the backlog costs beyond its bytes is told, and bounded above.
                isReached: report.int("dropped") == count
                    && waited.allSatisfy { $0 <= limit + batch })
        }

        /// Programs that ask to be told of changes and never read.
        private static func subscribers(_ proxy: Daemon) throws -> Service {
            let script = """
                import socket, sys
                held = []
                for _ in range(20):
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(sys.argv[1] + "/control.sock")
                    client.sendall(b'{"id":1,"command":{"subscribe":{}}}\\n')
                    held.append(client)
                print("held", flush=True)
                sys.stdin.read()
                """
            let service = try Service(
                try #require(Tool.find("python3")), ["-c", script, proxy.directory])
            _ = try service.readLine()
            return service
        }
    }
}
