import Foundation
import Testing

@testable import Capture

/// An index file that is made anew is deleted first, large as it may be, by the recorder's thread.
@Suite(.timeLimit(.minutes(5)))
struct IndexFileRemovalTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "proxyd-side-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    private func make(_ names: [String]) throws {
        for name in names {
            try Data("bytes".utf8).write(to: URL(filePath: folder + "/" + name))
        }
    }

    private var left: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    @Test func `removing an index file also removes its WAL files and nothing else`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make(["a.sqlite", "a.sqlite-wal", "a.sqlite-shm", "a.sqlite2", "b.sqlite"])
        IndexFile.remove([folder + "/a.sqlite"])
        #expect(try left == ["a.sqlite2", "b.sqlite"])
        IndexFile.remove([folder + "/missing.sqlite"])
        #expect(try left == ["a.sqlite2", "b.sqlite"])
    }

    /// Readers of this program may have the file open still.
    @Test
    func `removing an index file closes it without releasing the process's own lock on it`()
        throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make(["a.sqlite"])
        let path = folder + "/a.sqlite"
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        #expect(fcntl(descriptor, F_SETLK, &lock) == 0)
        var facts = stat()
        fstat(descriptor, &facts)
        IndexFile.remove([path])
        while try Self.openCount(of: path + " (deleted)") > 1 { sched_yield() }
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        #expect(locks.contains(":\(facts.st_ino) "))
    }

    /// How many of this program's descriptors lead to a file.
    private static func openCount(of name: String) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: folder + "/" + $0)
            return target == name
        }
    }
}
