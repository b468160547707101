import Capture
import ProxydCaptureModel
import ProxydContentCoding
import Foundation
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// Stores that earlier versions made: `Fixtures/version-N.sqlite.gz`, each with a search and a
/// login, made by that version's `proxyctl import`.
@Suite struct OlderStoreTests {
    private let store = TemporaryStore()

    private func place(version: Int) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/version-\(version).sqlite.gz")
        let packed = [UInt8](try Data(contentsOf: file))
        var bytes: [UInt8] = []
        let decoder = try ContentDecoder(contentEncoding: "gzip")
        try decoder.decode(packed.span, into: &bytes)
        try FileManager.default.createDirectory(
            atPath: store.directory.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: store.directory.storePath, contents: Data(bytes),
            attributes: [.posixPermissions: 0o600])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    func `a reader reads a store of an older version without changing it`(version: Int) throws {
        try place(version: version)
        let before = try Data(contentsOf: URL(filePath: store.directory.storePath))
        let reader = try store.reader()
        let rows = try reader.rows(matching: Filter.parse("host:test"), .oldest, limit: 9)
        #expect(rows.map(\.status) == [200, 502])
        #expect(rows.map(\.note) == ["ask Ben", nil])
        #expect(try reader.exchange(rows[1].id)?.responseFault == nil)
        for text in [
            "refused:\"\"", "repaired~.", "refused=x or repaired:y", "user:\"\"", "listener:\"\"",
            "upstream~.", "received_status>0", "held>0",
        ] {
            #expect(try reader.rows(matching: Filter.parse(text), .oldest, limit: 9).isEmpty)
        }
        // Since version 9, a store has an identity.
        let state = try reader.deliveryState()
        #expect((state.storeID != nil) == (version >= 9))
        #expect(state == DeliveryState(storeID: state.storeID, lastExchangeID: 2))
        #expect(try reader.changes(after: 0, limit: 9).isEmpty)
        #expect(try store.sql("PRAGMA user_version") == ["\(version)"])
        #expect(try Data(contentsOf: URL(filePath: store.directory.storePath)) == before)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    func `a user's SQL can use the current version's tables and columns in an older store`(
        version: Int
    )
        throws
    {
        try place(version: version)
        let reader = try store.reader()
        var found: [SQLValue] = []
        let texts = [
            "SELECT count(*) FROM response_fault", "SELECT count(*) FROM applied_rule",
            "SELECT count(*) FROM exchanges WHERE rules = '[]'",
            "SELECT count(*) FROM exchanges WHERE user IS NULL",
            "SELECT count(*) FROM connection WHERE upstream IS NULL AND listener IS NULL",
            "SELECT count(*) FROM change",
            "SELECT count(*) FROM exchanges WHERE received_status IS NULL AND held_ms IS NULL",
            "SELECT count(hold_ns) FROM applied_rule",
        ]
        for text in texts {
            try reader.sql(text) { _ in
            } onRow: {
                found += $0
                return true
            }
        }
        let counts: [Int64] = [0, 0, 2, 2, 0, 0, 2, 0]
        #expect(found == counts.map(SQLValue.integer))
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    func `a recorder upgrades a store of an older version and records into it`(
        version: Int
    ) throws {
        try place(version: version)
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/new")
        update.responseFault = ResponseFault(repairs: ["it was mended"])
        update.user = "alice"
        update.events = [.appliedRule(AppliedRule(rule: "r", phase: .request, outcome: "changed"))]
        update.heldNs = 1_000_000
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql("SELECT rules FROM exchanges") == ["[]", "[]", #"["r"]"#])
        #expect(recorder.status.damagedStorePath == nil)
        let rows = try store.reader().rows(.oldest, limit: 9)
        #expect(rows.map(\.path) == ["/search", "/login", "/new"])
        let found = try store.reader().rows(
            matching: Filter.parse("repaired:mended"), .oldest, limit: 9)
        #expect(found.map(\.path) == ["/new"])
        #expect(try store.sql("SELECT user FROM exchanges") == ["NULL", "NULL", "alice"])
        #expect(try store.sql("SELECT held_ms FROM exchanges") == ["NULL", "NULL", "1.0"])
        let state = try store.reader().deliveryState()
        #expect(state.storeID?.count == 16)
        #expect(state == DeliveryState(storeID: state.storeID, lastExchangeID: 3))
        recorder.stop()
        #expect(try store.sql("PRAGMA user_version") == ["10"])
    }
}
