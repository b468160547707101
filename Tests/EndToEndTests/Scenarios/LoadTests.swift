import Foundation
import Testing

/// Much traffic of every kind in parallel: nothing is lost, mixed up or kept in memory.
@Suite(.serialized)
struct LoadTests {
    /// 20,000 with PROXYD_TEST_FULL=1.
    static let exchangeCount = Daemon.isFullScale ? 20_000 : 2_000

    @Test func `under load on 32 connections, every exchange is stored byte for byte`() throws {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let quarter = 0..<(Self.exchangeCount / 4), rest = quarter.upperBound..<Self.exchangeCount
        var residentKiB: [Int] = []
        for numbers in [quarter, rest] {
            let sent = try rig.send(numbers, through: proxy)
            #expect(sent.int("done") == numbers.count, "\(sent.object)")
            #expect(sent.int("wrong_count") == 0, "\(sent.object)")
            #expect(sent.int("failed_count") == 0, "\(sent.object)")
            residentKiB.append(try proxy.residentKiB())
        }
        try proxy.settle()
        for numbers in [quarter, rest] {
            let stored = try rig.check(numbers, in: proxy)
            #expect(stored.int("rows") == numbers.count, "\(stored.object)")
            #expect(stored.int("missing_count") == 0, "\(stored.object)")
            #expect(stored.int("wrong_count") == 0, "\(stored.object)")
            #expect((stored.object["twice"] as? [Int])?.isEmpty == true, "\(stored.object)")
            #expect(stored.text("integrity") == "ok")
        }
        // Flat: what is recorded is on the disk, not in memory.
        #expect(residentKiB[1] - residentKiB[0] < 16 << 10, "\(residentKiB) KiB")
    }

    @Test(arguments: 0..<(Daemon.isFullScale ? 10 : 3))
    func `kill -9 under load loses no exchange that ended well before the kill`(round: Int) throws {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let numbers = 0..<2_000
        // Not at a moment that suits the recorder: anywhere in its batches.
        let sent = try rig.send(
            numbers, through: proxy,
            ["--kill", String(proxy.service.pid), "--after", String(Int.random(in: 50...700))])
        _ = proxy.service.waitForExit()
        let promised = try Self.endedBefore(sent, ageNs: Self.promiseNs)
        let again = try Daemon(trusting: rig.certificate, data: proxy.data)
        let stored = try rig.check(numbers, in: again, only: promised)
        #expect(stored.text("integrity") == "ok")
        #expect(stored.int("missing_count") == 0, "round \(round): \(stored.object)")
        #expect(stored.int("wrong_count") == 0, "round \(round): \(stored.object)")
        #expect(stored.int("active") == 0, "what was open has failed")
        // It records again, into the same file.
        let more = 2_000..<2_040
        #expect(try rig.send(more, through: again).int("done") == more.count)
        try again.settle()
        #expect(try rig.check(more, in: again).int("wrong_count") == 0)
    }

    /// How long before a kill an exchange must have ended to be in the store: 100 ms and one flush
    /// of the disk. With other work on the machine the recorder may not get a processor for longer
    /// than that, which is not what the short run is about.
    private static let promiseNs = Daemon.isFullScale ? 300_000_000 : 2_000_000_000

    private static func endedBefore(_ sent: Row, ageNs: Int) throws -> [Int] {
        guard let ages = sent.object["ages"] as? [String: Int] else {
            throw Tool.Failure(description: "nothing was killed: \(sent.object)")
        }
        return ages.filter { $0.value > ageNs }.compactMap { Int($0.key) }
    }

    @Test
    func `an idle client takes less than 16 KiB of proxyd's memory and can send more requests`()
        throws
    {
        let rig = try LoadRig()
        let proxy = try Daemon()
        let count = Daemon.isFullScale ? 2_000 : 500
        var clients: [RawClient] = []
        func askAll() throws {
            for client in clients {
                client.send("GET \(rig.url("/idle")) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.read(until: "\r\n\r\nok")
            }
        }
        // The first ones make what all share.
        clients = try (0..<50).map { _ in try RawClient(port: proxy.port) }
        try askAll()
        let before = try proxy.residentKiB()
        clients += try (0..<count).map { _ in try RawClient(port: proxy.port) }
        try askAll()
        let perClient = Double(try proxy.residentKiB() - before) / Double(count)
        #expect(perClient < 16, "\(perClient) KiB a client")
        try askAll()
    }
}

/// More clients than descriptors: nothing spins, nothing breaks, and it passes.
struct DescriptorTests {
    @Test
    func `with 64 descriptors and 200 clients, proxyd does not busy-loop or crash, and recovers`()
        throws
    {
        let rig = try LoadRig()
        let proxy = try Daemon(
            trusting: rig.certificate,
            launcher: ["/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"])
        _ = try rig.send(0..<20, through: proxy, ["--connections", "2"])
        var crowd: [RawClient] = []
        for number in 0..<200 {
            let client = try RawClient(port: proxy.port)
            client.send("GET \(rig.url("/crowd/\(number)")) HTTP/1.1\r\nHost: x\r\n\r\n")
            crowd.append(client)
        }
        try rig.expectNoSpin(proxy)
        #expect(proxy.service.isRunning)
        crowd = []
        // A client that comes while there is no room yet may be sent away.
        let outcome = try proxy.curl(
            "--retry", "50", "--retry-delay", "1", "--retry-all-errors", "--fail",
            rig.url("/after"))
        #expect(outcome.text == "ok", "\(outcome.errors)")
        // One that got through says nothing of the crowd's last ones, which are still in the way.
        try proxy.settleClients()
        let sent = try rig.send(20..<120, through: proxy, ["--connections", "4"])
        #expect(sent.int("done") == 100, "\(sent.object)")
        try proxy.settle()
        #expect(try rig.check(20..<120, in: proxy).int("wrong_count") == 0)
        #expect(try rig.check(20..<120, in: proxy).text("integrity") == "ok")
    }

    @Test func `the limit on client connections applies to all event loops together`() throws {
        let origin = try Origin()
        let proxy = try Daemon(
            configuration: """
                [limits]
                client_connection_count_max = 5
                [threads]
                loop_count = 4
                """)
        let clients = try (0..<40).map { _ in try RawClient(port: proxy.port) }
        for client in clients {
            client.send("GET \(origin.url("/")) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        let answered = clients.filter { (try? $0.read(until: "\r\n\r\n")) != nil }
        #expect(answered.count == 5)
    }
}
