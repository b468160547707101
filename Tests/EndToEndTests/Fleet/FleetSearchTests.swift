import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydStoreTestSupport
import Testing

/// The index of bodies, which `proxyship index` makes for a day.
@Suite struct FleetSearchTests {
    /// The days on which a team has exchanges.
    private func days(_ team: Team) throws -> [String] {
        try team.sql(
            "SELECT DISTINCT to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') FROM exchange")
    }

    @discardableResult
    private func index(
        _ team: Team, _ arguments: [String] = [], location: String? = nil
    ) throws -> Tool.Outcome {
        let days = try days(team).flatMap { ["--day", $0] }
        return try Tool.run(
            Tool.built("proxyship"),
            ["index", "--store", location ?? team.location] + days + arguments)
    }

    private func deliver(_ bodies: [String], to team: Team, _ store: TemporaryStore) throws {
        let recorder = try store.recorder()
        for body in bodies {
            recorder.record(
                Samples.complete(
                    recorder.nextExchangeID(), "/page", responseBody: Array(body.utf8)))
        }
        recorder.stop()
        try team.deliver(store)
    }

    private func found(_ filter: String, _ team: Team) throws -> [String] {
        let outcome = try team.proxyctl(["list", filter, "--columns", "id"])
        // 1: nothing matched.
        #expect(outcome.status == (outcome.text.isEmpty ? 1 : 0), "\(outcome.errors)")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test func `body filters match the same exchanges with or without a body index`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        let recorder = try store.recorder()
        try FilterCorpus.record(into: recorder)
        recorder.stop()
        try team.deliver(store)
        let outcome = try index(team)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try team.sql("SELECT count(*) > 5 FROM body_text WHERE text IS NOT NULL") == ["t"])
        let (local, central) = (try store.reader(), try team.reader())
        let now = Samples.wallStart + 600_000_000_000
        var tellingCount = 0
        for text in FilterCorpus.filters where text.contains("body") || text.contains("~b") {
            for text in [text, "not (\(text))"] {
                guard let filter = try? Filter.parse(text, now: now, timeZone: .utc) else {
                    continue
                }
                let here = try local.rows(matching: filter, .oldest, limit: 1_000)
                let there = try central.rows(matching: filter, .oldest, limit: 1_000)
                #expect(there.map(\.number).sorted() == here.map(\.number), "\(text)")
                if !here.isEmpty, here.count < FilterCorpus.subjects.count { tellingCount += 1 }
            }
        }
        #expect(tellingCount > 20)
    }

    @Test
    func `body filters search indexed bodies in the index and read the others from the store`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try deliver(["an Apple", "a pear", "50% of \\_"], to: team, store)
        #expect(try index(team).text.contains(": 3 bodies of 3 exchanges indexed, 0 "))
        #expect(try found("body:apple", team) == ["ci-1:1"])
        #expect(try found(#"body:"0% of \\_""#, team) == ["ci-1:3"])
        // Only the index is asked: it is made to lie.
        try team.sql("UPDATE body_text SET text = 'a plum' WHERE exchange_id & 7 = 1")
        #expect(try found("body:apple", team) == [])
        try deliver(["another apple"], to: team, store)
        #expect(try found("body:apple", team) == ["ci-1:4"])
        #expect(try index(team).text.contains(": 1 bodies of 1 exchanges indexed, 0 "))
        #expect(try found("body:apple", team) == ["ci-1:4"])
        #expect(try index(team, ["--drop"]).status == 0)
        #expect(try team.sql("SELECT count(*) FROM body_text") == ["0"])
        #expect(try found("body:apple", team).sorted() == ["ci-1:1", "ci-1:4"])
    }

    @Test
    func `a body indexed while its exchange was open is searched in the store, not in the index`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try deliver(["first"], to: team, store)
        try index(team)
        // As if it had been open then.
        try team.sql("UPDATE body_index SET open_ids = ARRAY(SELECT id FROM exchange)")
        try team.sql("UPDATE body_text SET text = 'other'")
        #expect(try found("body:first", team) == ["ci-1:1"])
        try index(team)
        #expect(try team.sql("SELECT text FROM body_text") == ["first"])
    }

    @Test func `body filters still find bodies that are binary or too long for the body index`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        let long = String(repeating: "x", count: 3 << 20) + "needle"
        try deliver([long, "\u{1}\u{2}\u{3} needle \u{4}", "hay"], to: team, store)
        #expect(try index(team).text.contains("1 bodies of 3 exchanges indexed, 2 binary or long"))
        #expect(try found("body:needle", team).sorted() == ["ci-1:1", "ci-1:2"])
    }

    @Test func `delivering the removal of an exchange also removes its body from the body index`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try deliver(["secret", "kept"], to: team, store)
        try index(team)
        let cleared = try Tool.run(
            Tool.built("proxyctl"),
            ["--data-dir", store.directory.path, "clear", "body:secret", "--yes"])
        #expect(cleared.status == 0, "\(cleared.errors)")
        try team.deliver(store)
        #expect(try team.sql("SELECT text FROM body_text") == ["kept"])
    }

    @Test
    func `only the owner role can index bodies, and only for days present in the central store`()
        throws
    {
        let (store, team) = (TemporaryStore(), try Team())
        try deliver(["text"], to: team, store)
        for (role, status) in [("reader", 1), ("writer", 1), ("owner", 0)] as [(String, Int32)] {
            let user = "\(team.name)_\(role)_login"
            try team.cluster.sql("CREATE ROLE \(user) LOGIN IN ROLE \(team.name)_\(role)")
            let outcome = try index(
                team, location: team.cluster.location(team.name, user: user))
            #expect(outcome.status == status, "\(role): \(outcome.errors)")
            if status != 0 { #expect(outcome.errors.contains("permission denied")) }
        }
        for (day, status) in [("2001-01-01", 1), ("yesterday", 64)] as [(String, Int32)] {
            let outcome = try Tool.run(
                Tool.built("proxyship"), ["index", "--store", team.location, "--day", day])
            #expect(outcome.status == status, "\(outcome.errors)")
        }
    }
}
