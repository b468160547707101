import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Faults of disks and clocks.
@Suite struct FleetFaultTests {
    @Test func `exchanges with extreme start times are delivered and listed`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        let recorder = try store.recorder()
        let starts: [Int64] = [
            0, -1, 951_782_399_999_999_999, Samples.wallStart, 4_107_542_400_000_000_000,
            .max - 10_000_000, .min + 1,
        ]
        for start in starts {
            recorder.record(Samples.complete(recorder.nextExchangeID(), "/", wallStart: start))
        }
        recorder.stop()
        try team.deliver(store)
        let found = try team.sql("SELECT started_ns FROM exchange ORDER BY started_ns")
        #expect(found == starts.sorted().map(String.init))
        let listed = try team.proxyctl(["list", "--columns", "id"]).text
        #expect(listed.split(separator: "\n").count == starts.count)
    }

    @Test func `exchanges recorded during a day without PostgreSQL are delivered afterwards`()
        throws
    {
        let cluster = try PostgresCluster()
        let made = try Tool.run(
            Tool.built("proxyship"), ["init", "--team", "fleet", "--store", cluster.database])
        #expect(made.status == 0, "\(made.errors)")
        let (store, scratch) = (TemporaryStore(), try ScratchFolder())
        let shipper = try RunningShipper(store, cluster.location("fleet"), scratch)
        // An exchange a minute, for a day, from one midnight past the next.
        let minutes: Int64 = 26 * 60
        try record(minutes: 0..<60, into: store)
        try wait(for: "60", cluster)
        cluster.kill()
        for hour in 1..<(minutes / 60) {
            try record(minutes: hour * 60..<(hour + 1) * 60, into: store)
            // It goes on trying.
            if hour == 1 { try shipper.waitUntil(itSays: "next attempt in") }
        }
        let status = try Tool.run(Tool.built("proxyship"), ["--config", shipper.file, "--status"])
        #expect(status.text.contains("waiting    \(minutes - 60)\n"), "\(status.text)")
        #expect(shipper.process.isRunning)
        try cluster.start()
        try wait(for: "\(minutes)", cluster)
        shipper.process.end()
        #expect(
            try cluster.sql(
                "SELECT count(DISTINCT id), count(*), count(DISTINCT started_ns / 86400000000000) "
                    + "FROM fleet.exchange") == ["\(minutes)|\(minutes)|2"])
    }

    private func record(minutes: Range<Int64>, into store: TemporaryStore) throws {
        // The shipper notes its progress in the store.
        let recorder = try StoreRetry.whileBusy(seconds: 60) { try store.recorder() }
        let midnight = Samples.wallStart / 86_400_000_000_000 * 86_400_000_000_000
        for minute in minutes {
            recorder.record(
                Samples.complete(
                    recorder.nextExchangeID(), "/\(minute)",
                    wallStart: midnight + minute * 60_000_000_000))
        }
        recorder.stop()
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && SmallDisk.canMount,
            "mounting a disk of one's own is not permitted"))
    func `proxyship waits while PostgreSQL's disk is full, and then delivers everything`() throws {
        let cluster = try PostgresCluster()
        let disk = cluster.folder + "/disk"
        try FileManager.default.createDirectory(
            atPath: disk, withIntermediateDirectories: false)
        try mount(["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk])
        defer { _ = try? Tool.run("umount", ["-l", disk]) }
        try PostgresCluster.giveToServer(disk)
        try cluster.sql("CREATE TABLESPACE small LOCATION '\(disk)'")
        try cluster.sql("ALTER DATABASE postgres SET default_tablespace = small")
        let made = try Tool.run(
            Tool.built("proxyship"), ["init", "--team", "fleet", "--store", cluster.database])
        #expect(made.status == 0, "\(made.errors)")
        let (store, scratch) = (TemporaryStore(), try ScratchFolder())
        try record(4_000, into: store)
        let shipper = try RunningShipper(store, cluster.location("fleet"), scratch)
        try shipper.waitUntil(itSays: "SQLSTATE 53100")
        try mount(["-o", "remount,size=400m", disk])
        try wait(for: "4000", cluster)
        shipper.process.end()
        #expect(
            try cluster.sql("SELECT count(DISTINCT id), count(*) FROM fleet.exchange")
                == ["4000|4000"])
    }

    /// Exchanges whose bodies no server can compress.
    private func record(_ count: Int, into store: TemporaryStore) throws {
        let recorder = try store.recorder()
        var numbers = SplitMix(seed: 7)
        for _ in 0..<count {
            let body = (0..<8_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
            recorder.record(
                Samples.complete(recorder.nextExchangeID(), "/", responseBody: body))
        }
        recorder.stop()
    }

    private func mount(_ arguments: [String]) throws {
        let outcome = try Tool.run("mount", arguments)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
    }

    private func wait(for count: String, _ cluster: PostgresCluster) throws {
        try Eventually.isTrue(orFail: "not everything arrived") {
            try cluster.sql("SELECT count(*) FROM fleet.exchange") == [count]
        }
    }
}
