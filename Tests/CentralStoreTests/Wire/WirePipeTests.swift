import Foundation
import ProxydCentralStore
import ProxydSystem
import ProxydTestSupport
import Testing

/// Messages over descriptors.
@Suite struct WirePipeTests {
    /// The end of a pipe from which the bytes are read, and then nothing.
    private static func reading(_ bytes: [UInt8]) throws -> Int32 {
        let pipe = try PipeEnds()
        try #require(WirePipe.write(bytes, to: pipe.writing))
        close(pipe.writing)
        return pipe.reading
    }

    @Test func `proxyship stdio messages are read from a pipe in order, followed by end of file`()
        throws
    {
        let messages: [WireMessage] = [
            .ready, .columns([CentralRow.Column(name: "é", type: 25)]), .row([[1], nil]),
            .row([]), .done(2), .failed(.cancelled),
        ]
        let pipe = try PipeEnds()
        defer { close(pipe.reading) }
        for message in messages { #expect(WirePipe.write(message, to: pipe.writing)) }
        close(pipe.writing)
        for message in messages { #expect(WirePipe.read(pipe.reading) == message) }
        #expect(WirePipe.read(pipe.reading) == nil)
        #expect(WirePipe.read(pipe.reading) == nil)
    }

    @Test func `proxyship stdio messages that are written together are read one by one`() throws {
        let reading = try Self.reading(
            WireMessage.row([[1]]).encoded + WireMessage.done(1).encoded)
        defer { close(reading) }
        #expect(WirePipe.read(reading) == .row([[1]]))
        #expect(WirePipe.read(reading) == .done(1))
        #expect(WirePipe.read(reading) == nil)
    }

    @Test func `a truncated proxyship stdio message is treated as the end of the pipe`() throws {
        let whole = WireMessage.failed(.server(code: "57P01", message: "bye")).encoded
        for count in whole.indices {
            let reading = try Self.reading(Array(whole[..<count]))
            defer { close(reading) }
            #expect(WirePipe.read(reading) == nil, "\(count)")
        }
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [0, 0, 0, 1, 99], [0, 0, 0, 2, 3, 0], [0, 0, 0, 5, 5, 0, 0, 0, 1],
        ] as [[UInt8]])
    func `a malformed proxyship stdio message is treated as the end of the pipe`(bytes: [UInt8])
        throws
    {
        let reading = try Self.reading(bytes + WireMessage.ready.encoded)
        defer { close(reading) }
        #expect(WirePipe.read(reading) == nil)
    }

    /// 2³⁰ bytes are accepted; whoever announces more is not read any further.
    @Test(arguments: [[0x40, 0, 0, 1], [0x80, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func `a proxyship stdio message above the length limit is rejected before it is read`(
        head: [UInt8]
    ) throws {
        let reading = try Self.reading(head + [1, 2, 3])
        #expect(WirePipe.read(reading) == nil)
        let rest = FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
        #expect(Array(rest) == [1, 2, 3])
    }

    @Test func `a proxyship stdio message whose length equals the limit is not rejected`()
        throws
    {
        let reading = try Self.reading([0x40, 0, 0, 0] + WireMessage.ready.encoded)
        #expect(WirePipe.read(reading) == nil)
        let rest = FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
        #expect(rest.isEmpty)
    }

    @Test func `a proxyship stdio message larger than the buffer of its pipe arrives complete`()
        throws
    {
        let pipe = try PipeEnds()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let message = WireMessage.row([bytes, nil, [7]])
        let received = Promise<[WireMessage?]>()
        Thread.detachNewThread {
            received.fulfil((0..<3).map { _ in WirePipe.read(pipe.reading) })
        }
        #expect(WirePipe.write(message, to: pipe.writing))
        #expect(WirePipe.write(.done(1), to: pipe.writing))
        close(pipe.writing)
        #expect(received.wait() == [message, .done(1), nil])
        close(pipe.reading)
    }

    @Test func `writing a proxyship stdio message to a pipe without a reader fails`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try PipeEnds()
        defer { close(pipe.writing) }
        close(pipe.reading)
        #expect(!WirePipe.write(.cancel, to: pipe.writing))
        #expect(!WirePipe.write(WireMessage.ready.encoded, to: pipe.writing))
    }

    @Test
    func `reading from an invalid file descriptor gives end of file, and writing to it fails`() {
        #expect(WirePipe.read(-1) == nil)
        #expect(!WirePipe.write(.ready, to: -1))
    }
}
