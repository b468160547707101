import Foundation
import ProxydSystem
import ProxydTestSupport
import Testing

struct FileDraftTests {
    private let scratch: ScratchFolder
    private var path: String { scratch.path + "/file" }

    init() throws { scratch = try ScratchFolder() }

    private func contents() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `a file draft gets its final name only when it is committed, with mode 0600`() throws
    {
        let draft = try FileDraft(of: path)
        try draft.write(Array("one ".utf8))
        #expect(!FileManager.default.fileExists(atPath: path))
        try draft.write(Array("two".utf8))
        try draft.commit()
        #expect(try contents() == "one two")
        #expect(scratch.names == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    /// A folder that may not be read cannot be flushed, and is no reason to fail.
    @Test(.enabled(if: geteuid() != 0, "root may read any folder"))
    func `a file can be written into a folder without read permission`() throws {
        try #require(chmod(scratch.path, 0o300) == 0)
        defer { chmod(scratch.path, 0o700) }
        try FileDraft.write(Array("one".utf8), to: path)
        #expect(try contents() == "one")
    }

    @Test func `an abandoned file draft leaves the previous file and no temporary file`() throws {
        try FileDraft.write(Array("former".utf8), to: path)
        do {
            let draft = try FileDraft(of: path)
            try draft.write(Array("half".utf8))
        }
        #expect(try contents() == "former")
        #expect(scratch.names == ["file"])
    }

    @Test func `two drafts of one file do not interfere, and the one committed last remains`()
        throws
    {
        let (first, second) = (try FileDraft(of: path), try FileDraft(of: path))
        try first.write(Array("first".utf8))
        try second.write(Array("second".utf8))
        try second.commit()
        #expect(try contents() == "second")
        try first.commit()
        #expect(try contents() == "first")
    }

    @Test func `a file draft in a missing folder fails with ENOENT`() {
        let path = scratch.path + "/missing/file"
        #expect(throws: SystemError(number: ENOENT)) { try FileDraft(of: path) }
    }

    @Test
    func `writing a file to the path of a folder fails with EISDIR and leaves no temporary file`()
        throws
    {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        #expect(throws: SystemError(number: EISDIR)) { try FileDraft.write([1], to: path) }
        #expect(scratch.names == ["file"])
    }

    @Test func `the description of a system error is the operating system's own message`() {
        #expect(SystemError(number: ENOSPC).description == "No space left on device")
        errno = EACCES
        #expect(SystemError() == SystemError(number: EACCES))
    }
}

struct FullWriteTests {
    @Test func `more bytes than a pipe can buffer are written completely`() throws {
        let pipe = try PipeEnds()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let received = Promise<[UInt8]>()
        Thread.detachNewThread {
            let end = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
            received.fulfil(Array(end.readDataToEndOfFile()))
        }
        try FullWrite.write(bytes, to: pipe.writing)
        close(pipe.writing)
        #expect(received.wait() == bytes)
    }

    @Test func `writing to a pipe without a reader fails with EPIPE`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try PipeEnds()
        defer { close(pipe.writing) }
        close(pipe.reading)
        #expect(throws: SystemError(number: EPIPE)) { try FullWrite.write([1], to: pipe.writing) }
    }

    @Test func `writing zero bytes succeeds even with an invalid descriptor`() throws {
        try FullWrite.write([], to: -1)
        #expect(throws: SystemError(number: EBADF)) { try FullWrite.write([1], to: -1) }
    }
}
