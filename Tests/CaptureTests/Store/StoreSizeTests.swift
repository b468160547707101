import Foundation
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `The size of a store` {
    @Test func `what only the log holds counts`() throws {
        let store = TemporaryStore()
        try store.directory.prepare()
        try PrivateFile.ensure(store.directory.storePath, in: store.directory.path)
        let connection = try StoreConnection(path: store.directory.storePath)
        try connection.execute(
            "CREATE TABLE filler (octets BLOB); INSERT INTO filler VALUES (zeroblob(10000000))")
        #expect(connection.fileByteCount < 1_000_000)
        #expect(try connection.contentByteCount() > 10_000_000)
        connection.close()
    }

    /// Stores keep the page size they were made with.
    @Test func `is right with pages of another size`() throws {
        let store = TemporaryStore()
        try store.directory.prepare()
        try PrivateFile.ensure(store.directory.storePath, in: store.directory.path)
        try SQLiteConnection(path: store.directory.storePath, .writing).execute(
            "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        let connection = try StoreConnection(path: store.directory.storePath)
        #expect(connection.pageByteCount == 8192)
        #expect(try connection.checkpoint(isTruncating: true))
        #expect(try connection.contentByteCount() == connection.fileByteCount)
        connection.close()
    }
}
