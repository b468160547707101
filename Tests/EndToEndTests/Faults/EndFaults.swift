import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F22: SIGTERM while much is under way.
    struct EndFaults {
        /// Seconds that exchanges have after SIGTERM.
        private static let graceSeconds = FaultScale.count(quick: 2, full: 10)

        @Test
        func
            `on SIGTERM, open exchanges get time to complete, then are closed, and all are stored`()
            throws
        {
            let origin = try Origin()
            let proxy = try Daemon(
                configuration: "[timeouts]\nshutdown_grace_s = \(Self.graceSeconds)\n")
            let half = FaultScale.count(quick: 50, full: 250)
            let able = try open(half, "able", origin, proxy)
            let stuck = try open(half, "stuck", origin, proxy)
            try Self.finishSome(origin, proxy)
            proxy.service.signal(SIGTERM)
            let clock = ContinuousClock()
            let start = clock.now
            try waitUntilRefused(proxy)
            _ = try Tool.run("curl", ["-sS", origin.url("/release/able")])
            for client in able { #expect(try client.read(until: "-last") == "-last") }
            #expect(proxy.service.waitForExit() == 0)
            let taken = (clock.now - start) / .seconds(1)
            for client in stuck { #expect(client.readToEnd()?.hasSuffix("-last") != true) }
            let rows = try proxy.rows("path:/hold-body", count: 2 * half)
            let states = Dictionary(grouping: rows) { row in
                "\(row.text("path") ?? "") \(row.text("state") ?? "")"
            }.mapValues(\.count)
            #expect(
                states == ["/hold-body/able complete": half, "/hold-body/stuck failed": half])
            #expect(try proxy.rows("path:/done", count: 20).count == 20)
            #expect(try proxy.proxyctl(["check"]).status == 0)
            let bar = Double(Self.graceSeconds) + 1
            FaultReport.add(
                "F22", "SIGTERM with \(2 * half) exchanges under way",
                bar: "those that can end; exit 0 ≤ \(FaultReport.text(bar)); 0 lost",
                reached: "\(states.count == 2 ? half : 0) ended, \(half) closed, 0 lost, exit 0 "
                    + "after \(FaultReport.text(taken))", isReached: taken <= bar)
        }

        @Test func `on a second SIGTERM, proxyd exits without waiting for open exchanges`() throws {
            let origin = try Origin()
            let proxy = try Daemon(configuration: "[timeouts]\nshutdown_grace_s = 3600\n")
            let clients = try open(20, "stuck", origin, proxy)
            proxy.service.signal(SIGTERM)
            try waitUntilRefused(proxy)
            let clock = ContinuousClock()
            let start = clock.now
            proxy.service.signal(SIGTERM)
            #expect(proxy.service.waitForExit() == 0)
            let taken = clock.now - start
            withExtendedLifetime(clients) {}
            #expect(try proxy.rows("path:/hold-body", count: 20).count == 20)
            FaultReport.add(
                "F22", "a second SIGTERM", bar: "at once",
                reached: FaultReport.text(taken / .seconds(1)), isReached: taken < .seconds(1))
        }

        /// Clients whose responses have begun and wait for a release.
        private func open(
            _ count: Int, _ name: String, _ origin: Origin, _ proxy: Daemon
        ) throws -> [RawClient] {
            let clients = try (0..<count).map { _ in try RawClient(port: proxy.port) }
            for client in clients {
                client.send("GET \(origin.url("/hold-body/\(name)")) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            for client in clients { _ = try client.read(until: "first") }
            return clients
        }

        /// Some that end before anything happens.
        private static func finishSome(_ origin: Origin, _ proxy: Daemon) throws {
            let client = try RawClient(port: proxy.port)
            for number in 0..<20 {
                client.send("GET \(origin.url("/done/\(number)")) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.read(until: "\r\n\r\n")
                _ = try client.read(until: "}")
            }
        }

        /// No one new is served once it stops.
        private func waitUntilRefused(_ proxy: Daemon) throws {
            try Eventually.isTrue(orFail: "new clients are still taken") {
                (try? RawClient(port: proxy.port)) == nil
            }
        }
    }
}
