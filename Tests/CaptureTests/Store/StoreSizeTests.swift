import Foundation
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
}
