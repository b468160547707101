import Foundation
import ProxydSystem
import ProxydTestSupport
import Testing

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

    @Test func `writing no bytes succeeds even with an invalid descriptor`() throws {
        try FullWrite.write([], to: -1)
        #expect(throws: SystemError(number: EBADF)) { try FullWrite.write([1], to: -1) }
    }
}
