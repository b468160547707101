import Foundation
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `The data directory` {
    let store = TemporaryStore()

    @Test(arguments: [
        (["PROXYD_DATA_DIR": "/a", "XDG_DATA_HOME": "/b", "HOME": "/c"], "/a"),
        (["XDG_DATA_HOME": "/b", "HOME": "/c"], "/b/proxyd"),
        (["XDG_DATA_HOME": "relative", "HOME": "/c"], "/c/.local/share/proxyd"),
        (["PROXYD_DATA_DIR": "", "HOME": "/c"], "/c/.local/share/proxyd"),
    ])
    func `the location of the data directory is taken from the environment`(
        environment: [String: String], path: String
    ) {
        #expect(DataDirectory.standard(environment: environment)?.path == path)
    }

    @Test func `there is no default data directory if the environment has no home directory`() {
        #expect(DataDirectory.standard(environment: [:]) == nil)
    }

    @Test
    func `the data directory and its files are accessible only to their owner while recording`()
        throws
    {
        let recorder = try store.recorder()
        recorder.recordSample()
        try recorder.flush()
        #expect(store.mode() == 0o700)
        for name in [
            "captures.sqlite", "captures.sqlite-wal", "captures.sqlite-shm", "captures.lock",
        ] {
            #expect(store.mode(name) == 0o600, "\(name)")
        }
        recorder.stop()
    }

    @Test func `the permissions of an existing data directory are restricted to its owner`() throws
    {
        try store.recorder().stop()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: store.directory.path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: store.directory.storePath)
        try store.recorder().stop()
        #expect(store.mode() == 0o700)
        #expect(store.mode("captures.sqlite") == 0o600)
    }

    @Test
    func `a data directory that other users can enter and that has unrelated files is rejected`()
        throws
    {
        try FileManager.default.createDirectory(
            atPath: store.directory.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try Data().write(to: URL(fileURLWithPath: store.directory.path + "/letter.txt"))
        #expect(throws: StoreError.self) { try store.recorder() }
        #expect(store.mode() == 0o755)
    }

    @Test(arguments: ["captures.sqlite", "captures.lock"])
    func `symbolic links in place of files in the data directory are rejected`(name: String) throws
    {
        try store.directory.prepare()
        let target = store.directory.path + "/elsewhere"
        try Data().write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(
            atPath: store.directory.path + "/" + name, withDestinationPath: target)
        #expect(throws: StoreError.self) { try store.recorder() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)).isEmpty)
    }
}

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
