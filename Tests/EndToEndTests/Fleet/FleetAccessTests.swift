import Capture
import Foundation
import ProxydStoreTestSupport
import Testing

/// Who may do what in a team's schema, and which servers are trusted.
@Suite struct FleetAccessTests {
    private func delivered(_ team: Team) throws {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        recorder.record(Samples.complete(recorder.nextExchangeID(), "/secret"))
        recorder.stop()
        try team.deliver(store)
    }

    private func login(_ team: Team, _ role: String) throws -> String {
        let user = "\(team.name)_\(role)_login"
        try team.cluster.sql("CREATE ROLE \(user) LOGIN IN ROLE \(team.name)_\(role)")
        return user
    }

    @Test func `the writer role of a team can deliver exchanges but not read them`() throws {
        let (store, team) = (TemporaryStore(), try Team())
        let recorder = try store.recorder()
        try InterchangeSamples.record(into: recorder)
        recorder.stop()
        let user = try login(team, "writer")
        let file = try team.configuration(
            store, location: team.cluster.location(team.name, user: user))
        let outcome = try Tool.run(Tool.built("proxyship"), ["--config", file, "--once"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try team.sql("SELECT count(*) > 10 FROM exchange") == ["t"])
        #expect(throws: Tool.Failure.self) {
            try team.cluster.sql("SELECT request_head FROM \(team.name).content", user: user)
        }
    }

    @Test
    func `a team's writer role cannot make the schema owner's SQL functions run its own code`()
        throws
    {
        let team = try Team()
        let user = try login(team, "writer")
        _ = try? team.cluster.sql(
            """
            SET search_path = \(team.name);
            CREATE FUNCTION pg_temp.evil() RETURNS oid LANGUAGE plpgsql AS $$ BEGIN
              IF current_user = 'postgres' THEN EXECUTE 'ALTER ROLE \(user) SUPERUSER'; END IF;
              RETURN 0; END $$;
            CREATE TEMP VIEW pg_inherits AS
              SELECT pg_temp.evil() AS inhrelid, 0::oid AS inhparent FROM generate_series(1, 1);
            CREATE TEMP VIEW exchange AS
              SELECT pg_temp.evil() = 0 AS pinned, now() AS started_at;
            SELECT drop_days('1990-01-01');
            SELECT make_day(current_date - 400);
            """, user: user)
        let found = try team.cluster.sql(
            "SELECT rolsuper FROM pg_roles WHERE rolname = '\(user)'")
        #expect(found == ["f"])
    }

    /// Makes days as the owner can.
    private func fill(_ team: Team, _ days: String) throws {
        try team.cluster.sql(
            """
            DO $$ DECLARE day date; BEGIN
              FOR day IN SELECT \(days) LOOP
                EXECUTE format('CREATE TABLE \(team.name).%I PARTITION OF \(team.name).exchange '
                  || 'FOR VALUES FROM (%L) TO (%L)',
                  'exchange_' || to_char(day, 'YYYYMMDD'), day, day + 1);
                COMMIT;
              END LOOP; END $$
            """)
    }

    @Test func `a team's writer role can create only a few daily partitions far from today`()
        throws
    {
        let team = try Team()
        let user = try login(team, "writer")
        func makes(_ day: String) throws -> Bool {
            try team.cluster.sql("SELECT \(team.name).make_day(\(day))", user: user) == ["t"]
        }
        #expect(try !makes("'0001-01-01'") && !makes("'9999-12-31'"))
        #expect(try makes("'1970-01-01'") && makes("'2100-01-01'"))
        try fill(team, "date '1980-01-01' + generate_series(1, 98)")
        #expect(try !makes("'1970-01-02'") && !makes("'2100-01-02'"))
        #expect(try !makes("current_date - 3654") && !makes("current_date + 8"))
        #expect(try makes("current_date - 3653") && makes("current_date + 7"))
    }

    /// A delivery needs at most as many as it has exchanges, 500.
    @Test
    func `a team's writer role cannot create an old daily partition if 600 others are empty`()
        throws
    {
        let team = try Team()
        let user = try login(team, "writer")
        try fill(team, "current_date - generate_series(2, 601)")
        let make = "SELECT \(team.name).make_day"
        let error = #expect(throws: Tool.Failure.self) {
            try team.cluster.sql(make + "(current_date - 700)", user: user)
        }
        #expect(error?.description.contains("while 600 days are empty") == true)
        for day in ["- 1", "+ 0", "+ 1"] {
            #expect(try team.cluster.sql("\(make)(current_date \(day))", user: user) == ["t"])
        }
    }

    @Test func `the reader role of one team cannot read another team's schema`() throws {
        let (team, other) = (try Team(), try Team())
        try delivered(team)
        let user = try login(other, "reader")
        let read = try Tool.run(
            Tool.built("proxyctl"),
            ["--store", team.cluster.location(team.name, user: user), "list"])
        #expect(read.status == 1)
        #expect(read.text.isEmpty)
        #expect(read.errors.contains("permission denied") || read.errors.contains("no tables"))
    }

    @Test func `the annotator role of a team can annotate exchanges, and the reader role cannot`()
        throws
    {
        let team = try Team()
        try delivered(team)
        for (role, status) in [("reader", 1), ("annotator", 0)] as [(String, Int32)] {
            let user = try login(team, role)
            let outcome = try Tool.run(
                Tool.built("proxyctl"),
                [
                    "--store", team.cluster.location(team.name, user: user), "mark", "ci-1:1",
                    "--note", role,
                ])
            #expect(outcome.status == status, "\(outcome.errors)")
        }
        #expect(try team.sql("SELECT note FROM exchange") == ["annotator"])
    }

    @Test func `proxyctl sql on a central store rejects COPY and statements that write`() throws {
        let team = try Team()
        try delivered(team)
        let outcome = try team.proxyctl(["sql", "DELETE FROM exchange"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("read-only"))
        #expect(try team.proxyctl(["sql", "SELECT path FROM exchanges"]).text == "/secret\n")
        for statement in ["COPY (SELECT 1) TO STDOUT", "COPY exchange FROM STDIN", " "] {
            #expect(try team.proxyctl(["sql", statement]).status == 1)
        }
    }

    @Test func `a central store URI with a password is rejected, and the password is not printed`()
        throws
    {
        let team = try Team()
        let outcome = try Tool.run(
            Tool.built("proxyctl"),
            ["--store", "postgresql://a:hunter2@localhost/postgres", "list"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("contains a password"))
        #expect(!outcome.errors.contains("hunter2"))
        withExtendedLifetime(team) {}
    }

    @Test func `proxyship refuses to deliver without a search_path in the central store's URI`()
        throws
    {
        let team = try Team()
        let store = TemporaryStore()
        try store.recorder().stop()
        let file = try team.configuration(store, location: team.cluster.database)
        let outcome = try Tool.run(Tool.built("proxyship"), ["--config", file, "--once"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("search_path"))
    }
}
