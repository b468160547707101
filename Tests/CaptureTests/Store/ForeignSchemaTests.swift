import Capture
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

/// A file that says it is a store, and has something else in a table's place.
@Suite struct `A schema that is not ours` {
    let store = TemporaryStore()

    private func recordHello() throws {
        let recorder = try store.recorder()
        recorder.recordSample()
        recorder.stop()
    }

    @Test(arguments: [
        "DROP TABLE exchange; CREATE TABLE exchange (id TEXT, started_ns TEXT)",
        """
        DROP TABLE exchange;
        CREATE VIEW exchange AS WITH RECURSIVE more(id) AS
          (SELECT 1 UNION ALL SELECT id + 1 FROM more) SELECT id FROM more
        """,
        "DROP VIEW exchanges", "DROP TABLE store_state",
    ])
    func `a store with a changed or missing table or view is rejected as damaged`(change: String)
        throws
    {
        try recordHello()
        try UncheckedDatabase.edit(store.directory.storePath, change)
        let error = try #require(throws: StoreError.self) { try store.reader() }
        #expect(error.description.hasSuffix("is damaged"))
    }

    @Test func `a store with additional tables and indexes can be read`() throws {
        try recordHello()
        try UncheckedDatabase.edit(
            store.directory.storePath,
            "CREATE TABLE mine (x); CREATE INDEX by_host ON exchange (host)")
        #expect(try store.reader().rows(.newest, limit: 9).count == 1)
    }
}
