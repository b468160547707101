import Foundation
import ProxydSystem
import ProxydTestSupport
import Testing

struct FullWriteTests {
    /// The ends of a new pipe.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(Foundation.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `more than a pipe holds arrives whole`() async throws {
        let (reading, writing) = try Self.pipe()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        async let received = Task.detached {
            FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
        }.value
        try FullWrite.write(bytes, to: writing)
        close(writing)
        #expect(await Array(received) == bytes)
    }

    @Test func `a reader that is gone is an error`() throws {
        signal(SIGPIPE, SIG_IGN)
        let (reading, writing) = try Self.pipe()
        defer { close(writing) }
        close(reading)
        #expect(throws: SystemError(number: EPIPE)) { try FullWrite.write([1], to: writing) }
    }

    @Test func `nothing is written without bytes, wherever it goes`() throws {
        try FullWrite.write([], to: -1)
        #expect(throws: SystemError(number: EBADF)) { try FullWrite.write([1], to: -1) }
    }
}
