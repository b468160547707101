import Capture
import Foundation
import Glibc
import ProxydCaptureModel
import ProxydStoreTestSupport
import ProxydTestSupport
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

    @Test func `after root reads another user's store, all its files still belong to that user`()
        throws
    {
        try prepared()
        let reader = try store.reader()
        #expect(try reader.rows(.oldest, limit: 9).map(\.path) == ["/one"])
        #expect(try names().contains("captures.sqlite-shm"))
        try expectAllPrivate()
        #expect(try store.sql("SELECT count(*) FROM exchanges") == ["1"])
        try expectAllPrivate()
    }

    @Test
    func `after root records into another user's store, all its files still belong to that user`()
        throws
    {
        try prepared()
        try FileManager.default.removeItem(atPath: store.directory.lockPath)
        let recorder = try store.recorder()
        recorder.recordSample("/two")
        try recorder.flush()
        try expectAllPrivate()
        recorder.stop()
        try expectAllPrivate()
    }

    /// Whoever owns a link can lead it anywhere: to a folder that is empty and for everyone.
    @Test(arguments: ["", "/new/data"])
    func `a data directory reached through another user's symbolic link is rejected`(
        below: String
    ) throws {
        let scratch = try ScratchFolder(mode: 0o1777)
        try #require(chmod(scratch.path, 0o1777) == 0)
        let (target, link) = (scratch.path + "/target", scratch.path + "/link")
        try #require(mkdir(target, 0o755) == 0 && chmod(target, 0o755) == 0)
        try #require(symlink(target, link) == 0)
        try #require(lchown(link, Self.owner, Self.owner) == 0)
        let directory = DataDirectory(path: link + below)
        #expect(
            throws: StoreError.directory(
                path: link,
                problem: "belongs to user \(Self.owner), who could replace what is below it")
        ) {
            try Recorder(directory: directory)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
        #expect(mode as? Int == 0o755)
    }

    @Test func `a data directory of another user is rejected unless that user is accepted`() throws
    {
        try prepared()
        #expect(throws: StoreError.self) { try store.directory.checkPath() }
        try store.directory.checkPath(accepting: Self.owner)
    }
}
