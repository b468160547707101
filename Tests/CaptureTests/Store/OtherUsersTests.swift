import Capture
import Foundation
import Glibc
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

/// What root does to a store that belongs to the daemon's user.
@Suite(.enabled(if: geteuid() == 0, "needs root, to act for two users"))
struct `Root and a store of another user` {
    private static let owner: uid_t = 65_534
    let store = TemporaryStore()

    /// A store of the other user with one exchange.
    private func prepared() throws {
        let recorder = try store.recorder()
        recorder.recordSample("/one")
        recorder.stop()
        for name in try names() + ["."] {
            #expect(
                chown(store.directory.path + "/" + name, Self.owner, Self.owner) == 0)
        }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
    }

    /// Owner and mode of every file there is.
    private func expectAllPrivate() throws {
        for name in try names() {
            var status = stat()
            #expect(stat(store.directory.path + "/" + name, &status) == 0)
            #expect(status.st_uid == Self.owner, "\(name)")
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func `reading leaves no file that the owner cannot open`() throws {
        try prepared()
        let reader = try store.reader()
        #expect(try reader.rows(.oldest, limit: 9).map(\.path) == ["/one"])
        #expect(try names().contains("captures.sqlite-shm"))
        try expectAllPrivate()
        #expect(try store.sql("SELECT count(*) FROM exchanges") == ["1"])
        try expectAllPrivate()
    }

    @Test func `writing leaves no file that the owner cannot open`() throws {
        try prepared()
        try FileManager.default.removeItem(atPath: store.directory.lockPath)
        let recorder = try store.recorder()
        recorder.recordSample("/two")
        try recorder.flush()
        try expectAllPrivate()
        recorder.stop()
        try expectAllPrivate()
    }
}
