import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@Suite struct `People's own SQL` {
    let store = TemporaryStore()

    private func filled() throws {
        let recorder = try store.recorder()
        recorder.recordSample("/a?user=alice&flag")
        recorder.recordSample("/b", responseBody: [UInt8](repeating: 9, count: 9_000))
        recorder.stop()
    }

    @Test func `the SQL view named exchanges has a fixed list of columns`() throws {
        try filled()
        var names: [String] = []
        try store.reader().sql(
            "SELECT * FROM exchanges", onColumns: { names = $0 }, onRow: { _ in false })
        #expect(
            names == [
                "id", "method", "url", "scheme", "host", "port", "path", "query", "http_version",
                "status", "reason", "started_at", "duration_ms", "request_body_bytes",
                "response_body_bytes", "request_content_type", "response_content_type",
                "client_address", "process", "pid", "server_address", "tls_version", "error",
                "state", "replay_of", "tags", "note", "pinned", "protocol", "stream",
                "messages", "grpc_status", "graphql_operation", "graphql_type",
                "rules", "user", "received_status", "held_ms",
            ])
    }

    @Test func `the SQL view named exchanges has the same values as the exchange list`() throws {
        try filled()
        let row = try #require(try store.reader().rows(.oldest, limit: 1).first)
        #expect(
            try store.sql(
                """
                SELECT url, http_version, started_at, duration_ms, state, tags, pinned, error
                FROM exchanges ORDER BY id LIMIT 1
                """) == ["\(row.url ?? "")|HTTP/1.1|\(row.startedAt)|2.5|complete|[]|0|NULL"])
    }

    @Test(arguments: [80, 443, 8443] as [UInt16])
    func `the URL of a tunnel always includes its port, in lists and in SQL`(port: UInt16) throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/")
        update.url = .tunnel(host: "h", port: port)
        recorder.record(update)
        recorder.stop()
        #expect(try store.sql("SELECT url FROM exchanges") == ["tunnel://h:\(port)"])
        let row = try #require(try store.reader().rows(.oldest, limit: 1).first)
        #expect(row.url == "tunnel://h:\(port)")
    }

    @Test func `a user's SQL can join exchanges with parameters, heads and bodies`() throws {
        try filled()
        #expect(
            try store.sql(
                """
                SELECT e.id, p.name, p.value FROM exchanges e
                JOIN parameter p ON p.exchange_id = e.id ORDER BY p.position
                """) == ["1|user|alice", "1|flag|NULL"])
        #expect(
            try store.sql(
                """
                SELECT e.id, sum(length(b.octets)) FROM exchanges e
                JOIN body_chunk b ON b.exchange_id = e.id AND b.part = 1 GROUP BY e.id
                """) == ["1|5", "2|9000"])
        #expect(
            try store.sql(
                "SELECT substr(octets, 1, 3) FROM head WHERE exchange_id = 2 AND part = 0")
                == ["blob(3)"])
    }

    @Test(arguments: [
        "SELECT octets FROM body_chunk WHERE exchange_id = 2 AND part = 1",
        "SELECT octets FROM head WHERE exchange_id = 2 AND part = 0",
        "SELECT name FROM parameter WHERE exchange_id = 2",
        "SELECT b.octets FROM exchange x JOIN body_chunk b ON b.exchange_id = x.id WHERE x.id = 2",
    ])
    func `SQL queries for the parts of one exchange scan no table`(statement: String) throws {
        try filled()
        let plan = try store.sql("EXPLAIN QUERY PLAN " + statement)
        #expect(!plan.contains { $0.contains("SCAN") }, "\(plan)")
    }

    @Test(arguments: [
        "DELETE FROM exchange", "CREATE TABLE t (a)", "PRAGMA user_version = 3",
        "PRAGMA journal_mode = DELETE", "PRAGMA wal_checkpoint", "VACUUM",
        "ATTACH DATABASE ':memory:' AS x", "BEGIN", "SELECT load_extension('x')",
        "SELECT 1; SELECT 2", "", "-- nothing", "SELEC", "PRAGMA writable_schema = 1",
        "SELECT fts3_tokenizer('simple')",
    ])
    func `a user's SQL is rejected unless it is a single read-only statement`(statement: String)
        throws
    {
        try filled()
        #expect(throws: StoreError.self) { try store.sql(statement) }
        #expect(try store.reader().exchangeCount() == 2)
    }

    @Test(arguments: [
        "DELETE FROM exchange", "CREATE TEMP TABLE t (a)", "SELECT load_extension('x')",
        "SELECT * FROM pragma_query_only",
    ])
    func `SQL that is not read-only is rejected with an error that says so`(statement: String)
        throws
    {
        try filled()
        let refusal = StoreError.notPermitted("only read-only statements are allowed here")
        #expect(throws: refusal) { try store.sql(statement) }
    }

    @Test func `VACUUM INTO in a user's SQL is rejected and creates no file`() throws {
        try filled()
        let path = store.directory.path + "/copy"
        #expect(throws: StoreError.self) { try store.sql("VACUUM INTO '\(path)'") }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a user's SQL can return values of every SQLite type`() throws {
        try filled()
        #expect(
            try store.sql("SELECT NULL, 1, 1.5, 'té', x'00ff', '' ; -- behind")
                == ["NULL|1|1.5|té|blob(2)|"])
    }
}
