import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F34: `kill -9` while streams of HTTP/2 are open.
    @Suite(.enabled(if: HTTP2Origin.isAvailable, "nginx and a curl with HTTP/2 are installed"))
    struct StreamKillFaults {
        /// Downloads whose heads came and whose bodies never end.
        private static let slowCount = 20
        /// One upload goes on as slowly.
        private static let openCount = slowCount + 1
        private static let shortCountMax = 2_000

        @Test
        func `after kill -9, ended h2 exchanges are stored complete and open ones as failed`()
            throws
        {
            let origin = try HTTP2Origin()
            try origin.serve(Data(count: 8 << 20), as: "large")
            let rounds = FaultScale.count(quick: 2, full: 50)
            var kept = 0
            for round in 0..<rounds { kept += try Self.round(round, origin) }
            FaultReport.add(
                "F34", "kill −9 while \(Self.openCount) streams of HTTP/2 are open and others end",
                bar: "whole, 0 final rows lost, open ones failed",
                reached: "\(rounds) × whole, 0 of \(kept) lost", isReached: true)
        }

        /// Kills a daemon once a number of rows is final; returns how many there were.
        private static func round(_ number: Int, _ origin: HTTP2Origin) throws -> Int {
            let data = try ScratchFolder()
            let proxy = try Daemon(trusting: origin.certificate, data: data)
            let clients = [
                try client(proxy, ["-Z", origin.url("/slow/large?[1-\(slowCount)]")]),
                try client(
                    proxy,
                    [
                        "--limit-rate", "1k", "-T", origin.directory.path + "/large",
                        origin.url("/up/open"),
                    ]),
            ]
            _ = try proxy.rows("state=active", count: openCount, final: false)
            let short = try client(
                proxy, ["-Z", "--parallel-max", "20", origin.url("/[1-\(shortCountMax)]")])
            _ = try proxy.rows(
                "state=complete", count: Int.random(in: 1...500), final: false)
            let before = try final(proxy)
            proxy.service.signal(SIGKILL)
            _ = proxy.service.waitForExit()
            for client in clients + [short] {
                client.signal(SIGKILL)
                _ = client.waitForExit()
            }
            let again = try Daemon(trusting: origin.certificate, data: data)
            #expect(try again.proxyctl(["check"]).status == 0, "round \(number)")
            let after = try final(again)
            #expect(before.allSatisfy { after[$0.key] == $0.value }, "round \(number)")
            try expectFailed(again, round: number)
            let ended = try again.row("id=\(try #require(before.keys.max()))")
            let frames = try again.show(ended).row("http2")?.object["frames"] as? [Any]
            #expect(frames?.isEmpty == false)
            return before.count
        }

        private static func client(_ proxy: Daemon, _ arguments: [String]) throws -> Service {
            try Service(
                Tool.find("curl") ?? "curl",
                [
                    "-sS", "--http2", "-x", proxy.url, "--cacert", proxy.certificatePath, "-o",
                    "/dev/null",
                ] + arguments)
        }

        /// The complete rows as they are listed, by number.
        private static func final(_ proxy: Daemon) throws -> [Int: String] {
            let lines = try proxy.proxyctl(["list", "state=complete", "--json"])
                .text.split(separator: "\n").map(String.init)
            return try Dictionary(
                uniqueKeysWithValues: lines.map { (try Row(json: $0).int("id") ?? 0, $0) })
        }

        /// The streams that were open are there with what came of them, and say what ended them.
        private static func expectFailed(_ again: Daemon, round: Int) throws {
            #expect(try again.rows("state=active", count: 0).isEmpty, "round \(round)")
            let open = try again.rows("path:slow or path:/up/", count: openCount)
            #expect(open.count == openCount)
            for row in open {
                #expect(row.text("state") == "failed" && row.text("protocol") == "h2")
                #expect(row.int("stream") != nil && row.text("error") != nil, "\(row.object)")
            }
        }
    }
}
