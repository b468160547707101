import Foundation
import Glibc
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@testable import Capture

@Suite struct `Locks and disks that are really full` {
    let store = TemporaryStore()

    private func wait(
        _ recorder: Recorder, until isWanted: (RecorderStatus) -> Bool
    ) async throws {
        while !isWanted(recorder.status) { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(.timeLimit(.minutes(10)))
    func `recording pauses while another process locks the store, and nothing is lost`()
        async throws
    {
        let recorder = try store.recorder()
        recorder.recordSample("/before")
        try recorder.flush()
        let other = try SQLiteConnection(path: store.directory.storePath, .writing)
        try other.execute("BEGIN EXCLUSIVE")
        let id = recorder.recordSample("/during")
        try await wait(recorder) { $0.state == .paused(.locked) }
        #expect(!recorder.isCongested)
        other.rollBack()
        try await wait(recorder) { $0.state == .recording }
        try recorder.flush()
        #expect(try store.reader().row(id)?.path == "/during")
        recorder.stop()
    }

    /// A small file system of its own, where the machine lets us have one.
    private static func run(_ command: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "needs root, to mount"))
    func `recording pauses on a full file system and resumes when there is space`() async throws {
        try store.directory.prepare()
        let options = ["-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", store.directory.path]
        // In a container root may not mount: then there is nothing to show here.
        guard Self.run("/bin/mount", options) else { return }
        defer { _ = Self.run("/bin/umount", ["-l", store.directory.path]) }
        let filler = store.directory.path + "/filler"
        let recorder = try store.recorder()
        recorder.recordSample("/before")
        try recorder.flush()
        let block = [UInt8](repeating: 1, count: 1 << 16)
        let file = open(filler, O_CREAT | O_WRONLY, 0o600)
        while write(file, block, block.count) > 0 {}
        close(file)
        let ids = (0..<60).map { _ in
            recorder.recordSample("/during", responseBody: [UInt8](repeating: 7, count: 20_000))
        }
        try await wait(recorder) { $0.state == .paused(.diskFull) }
        #expect(recorder.status.lastError != nil)
        try FileManager.default.removeItem(atPath: filler)
        try await wait(recorder) { $0.state == .recording }
        try recorder.flush()
        let reader = try store.reader()
        #expect(try reader.integrityCheck().isEmpty)
        for id in ids { #expect(try reader.row(id)?.responseKeptByteCount == 20_000) }
        recorder.stop()
    }
}
