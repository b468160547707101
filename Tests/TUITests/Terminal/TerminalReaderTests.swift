import Foundation
import Testing

@testable import ProxydTUI

struct TerminalReaderTests {
    /// Messages that never end: what the reader waits on is always readable.
    @Test
    func `the Escape key is recognized even while other events wake the terminal reader nonstop`()
        throws
    {
        let keyboard = Pipe()
        let messages = Pipe()
        try messages.fileHandleForWriting.write(contentsOf: [0])
        var reader = TerminalReader(
            sequences: [:], wakeUp: messages.fileHandleForReading.fileDescriptor,
            input: keyboard.fileHandleForReading.fileDescriptor)
        try keyboard.fileHandleForWriting.write(contentsOf: [0x1B])
        let deadline = Date().addingTimeInterval(20)
        var events: [InputEvent] = []
        while events.isEmpty, Date() < deadline { events = reader.wait() }
        #expect(events == [.key(.escape)])
    }

    @Test
    func `the terminal reader returns keys, or nothing without input, and reports end of input`()
        throws
    {
        let keyboard = Pipe()
        let messages = Pipe()
        var reader = TerminalReader(
            sequences: [:], wakeUp: messages.fileHandleForReading.fileDescriptor,
            input: keyboard.fileHandleForReading.fileDescriptor)
        #expect(reader.wait(timeoutMs: 0).isEmpty)
        try keyboard.fileHandleForWriting.write(contentsOf: Array("a\u{1B}[A".utf8))
        #expect(reader.wait() == [.key(Key("a")), .key(Key(.up))])
        try keyboard.fileHandleForWriting.close()
        #expect(reader.wait().isEmpty && reader.isAtEnd)
    }
}
