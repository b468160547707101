import Foundation
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `The size of a store` {
    @Test func `the size of a store includes data that is only in the WAL`() throws {
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
    @Test func `the size of a store is computed with the page size of its file`() throws {
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
