import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// What happens to exchanges after they were delivered, and to the stores they came from.
@Suite struct FleetChangeTests {
    private func recorded(_ count: Int64, into store: TemporaryStore) throws {
        let recorder = try store.recorder()
        for _ in 0..<count {
            let id = recorder.nextExchangeID()
            recorder.record(
                Samples.complete(
                    id, "/\(id)", responseBody: Array("b\(id)".utf8),
                    wallStart: Samples.wallStart + Int64.random(in: 0..<1_000_000_000)))
        }
        try recorder.flush()
        recorder.stop()
    }

    private func paths(_ team: Team) throws -> [String] {
        try team.sql("SELECT path FROM exchange ORDER BY id")
    }

    @Test func `repeated deliveries of a store send each exchange only once`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(5, into: store)
        try team.deliver(store)
        try team.deliver(store)
        try recorded(2, into: store)
        try team.deliver(store)
        #expect(try paths(team) == (1...7).map { "/\($0)" })
        #expect(try team.sql("SELECT name, through_id, delivered FROM shipper") == ["ci-1|7|7"])
    }

    @Test func `notes, tags, pins and removals of already delivered exchanges are delivered too`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(4, into: store)
        try team.deliver(store)
        let recorder = try store.recorder()
        try recorder.annotate(
            AnnotationChange(
                id: ExchangeID(rawValue: 2), note: "slow", addedTags: ["a", "b"], isPinned: true))
        _ = try recorder.wait {
            recorder.clear(.exchanges([ExchangeID(rawValue: 3)]), completion: $0)
        }
        recorder.stop()
        try team.deliver(store)
        #expect(try paths(team) == ["/1", "/2", "/4"])
        #expect(
            try team.sql("SELECT note, tags, pinned FROM exchange WHERE path = '/2'")
                == ["slow|{a,b}|t"])
        let left = try team.sql(
            "SELECT count(*) FROM content WHERE exchange_id NOT IN (SELECT id FROM exchange)")
        #expect(left == ["0"])
    }

    @Test func `an exchange delivered while open is later updated and keeps the team's notes`()
        throws
    {
        let (origin, daemon, team) = (try ScriptedOrigin(), try Daemon(), try Team())
        let client = try RawClient(port: daemon.port)
        client.send("GET http://127.0.0.1:\(origin.port)/long HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try daemon.rows("state=active", count: 1, final: false)
        try team.deliver(directory: daemon.directory)
        #expect(try team.sql("SELECT state, status FROM exchange") == ["0|"])
        let marked = try team.proxyctl(["mark", "ci-1:1", "--note", "stuck?"])
        #expect(marked.status == 0, "\(marked.errors)")
        _ = try origin.answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        _ = try client.readResponse(to: .get)
        _ = try daemon.rows("state=complete", count: 1)
        try team.deliver(directory: daemon.directory)
        #expect(try team.sql("SELECT state, status, note FROM exchange") == ["1|204|stuck?"])
        #expect(try team.sql("SELECT count(*) FROM content") == ["1"])
    }

    @Test func `an exchange that PostgreSQL rejects is skipped and reported`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(40, into: store)
        try team.sql("ALTER TABLE exchange ADD CHECK (path <> '/17')")
        let outcome = try team.deliver(store)
        #expect(outcome.errors.contains("exchange 17 was rejected"))
        #expect(try paths(team) == (1...40).filter { $0 != 17 }.map { "/\($0)" })
        #expect(try team.sql("SELECT id, sqlstate FROM rejected") == ["17|23514"])
    }

    @Test func `delivery removes exchanges older than the retention period from the central store`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(3, into: store)
        try team.deliver(store)
        let recorder = try store.recorder()
        recorder.record(
            Samples.complete(
                recorder.nextExchangeID(), "/new",
                wallStart: Int64(Date().timeIntervalSince1970) * 1_000_000_000))
        recorder.stop()
        try team.deliver(store, "redact = false\nretention_age_days = 2")
        #expect(try paths(team) == ["/new"])
    }

    @Test
    func `a form body with a parameter name of 9,000 bytes is delivered to the central store`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        var numbers = SplitMix(seed: 5)
        let name = (0..<9_000).map { _ in UInt8.random(in: 0x61...0x7A, using: &numbers) }
        let recorder = try store.recorder()
        recorder.record(
            Samples.complete(
                recorder.nextExchangeID(), "/", method: "POST",
                fields: [("Content-Type", "application/x-www-form-urlencoded")],
                requestBody: name))
        recorder.stop()
        try team.deliver(store)
        #expect(try team.sql("SELECT length(name) FROM parameter") == ["9000"])
    }

    @Test
    func `exchanges older than the central retention period are not sent but counted as skipped`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(3, into: store)
        try team.deliver(store, "redact = false\nretention_age_days = 30")
        #expect(try paths(team).isEmpty)
        #expect(try team.sql("SELECT skipped FROM shipper") == ["3"])
    }

    @Test func `a filter in the shipping configuration selects the exchanges that are delivered`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(5, into: store)
        try team.deliver(store, "filter = 'path=/2 or path=/4'")
        #expect(try paths(team) == ["/2", "/4"])
        #expect(try team.sql("SELECT through_id FROM shipper") == ["5"])
    }

    @Test func `a store restored from a backup is delivered without loss or duplicates`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(4, into: store)
        try team.deliver(store)
        let scratch = try ScratchFolder()
        let backup = scratch.path + "/backup"
        try FileManager.default.copyItem(atPath: store.directory.path, toPath: backup)
        try recorded(3, into: store)
        try team.deliver(store)
        // Back to the time of four exchanges, and on from there.
        try FileManager.default.removeItem(atPath: store.directory.path)
        try FileManager.default.copyItem(atPath: backup, toPath: store.directory.path)
        try recorded(2, into: store)
        let outcome = try team.deliver(store)
        #expect(outcome.errors.contains("is not the one that was delivered"))
        let names = try team.sql(
            "SELECT name || ':' || (e.id & 17179869183) FROM exchange e "
                + "JOIN shipper ON no = shipper_no ORDER BY e.id")
        #expect(
            names == (1...7).map { "ci-1:\($0)" } + ["ci-1.2:5", "ci-1.2:6"])
    }

    @Test func `proxyship requires --new-identity for a store last delivered by another machine`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(2, into: store)
        try team.deliver(store)
        try team.sql("UPDATE shipper SET fingerprint = 'machine:other'")
        let refused = try Tool.run(
            Tool.built("proxyship"), ["--config", team.configuration(store), "--once"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--new-identity"))
        try recorded(1, into: store)
        try team.deliver(store, as: "ci-2", flags: ["--new-identity"])
        #expect(
            try team.sql("SELECT name, through_id, delivered FROM shipper ORDER BY no")
                == ["ci-1|2|2", "ci-2|3|1"])
    }

    @Test func `proxyship rejects a name that already belongs to another store`() throws {
        let (store, other, team) = (TemporaryStore(), TemporaryStore(), try Team())
        try recorded(1, into: store)
        try recorded(1, into: other)
        try team.deliver(store)
        let refused = try Tool.run(
            Tool.built("proxyship"), ["--config", team.configuration(other), "--once"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the name ci-1 belongs to another store"))
    }

    @Test func `eight proxyship processes can start delivering at the same time`() async throws {
        let team = try Team()
        let stores = (0..<8).map { _ in TemporaryStore() }
        for store in stores { try recorded(20, into: store) }
        let files = try stores.enumerated().map {
            try team.configuration($0.element, as: "ci-\($0.offset)")
        }
        let program = try Tool.built("proxyship")
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for file in files {
                group.addTask { try Tool.run(program, ["--config", file, "--once"]).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 0, count: 8))
        #expect(try team.sql("SELECT count(DISTINCT id) FROM exchange") == ["160"])
        withExtendedLifetime(stores) {}
    }

    @Test
    func `proxyship --status reports waiting exchanges and whether PostgreSQL is reachable`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(3, into: store)
        let program = try Tool.built("proxyship")
        let file = try team.configuration(store)
        #expect(
            try Tool.run(program, ["--config", file, "--status"]).text.contains(
                "waiting    3\nlost       0\ncentral    reachable, nothing delivered yet\n"))
        try team.deliver(store)
        try recorded(2, into: store)
        #expect(
            try Tool.run(program, ["--config", file, "--status"]).text.contains(
                "waiting    2\nlost       0\ndelivered  3 as ci-1, through 3\n"))
        let nowhere = try team.configuration(
            store, location: "postgresql://postgres@/postgres?host=/nowhere")
        let away = try Tool.run(program, ["--config", nowhere, "--status"])
        #expect(away.status == 1)
        // The local store knows how far it was delivered.
        #expect(away.text.contains("waiting    2\n"))
        #expect(away.text.hasSuffix("central    not reachable\n"))
    }

    @Test func `two proxyship processes on one store deliver each exchange only once`() async throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try recorded(3_000, into: store)
        let file = try team.configuration(store)
        let program = try Tool.built("proxyship")
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<2 {
                group.addTask { try Tool.run(program, ["--config", file, "--once"]).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0])
        #expect(
            try team.sql("SELECT count(*), count(DISTINCT id) FROM exchange") == ["3000|3000"])
    }
}
