import ProxydEventLoops
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SocketStreamClosingTests {
    @Test func `a response written before close arrives although the peer's upload was not read`()
        async throws
    {
        let answer = [UInt8](repeating: 0x41, count: 500_000)
        let outcome: [Bool] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let (uploader, refuser) = (Probe(), Probe())
                refuser.onReceive = { stream, _ in
                    // The rest of the upload is still under way when we answer and close.
                    stream.write(answer)
                    stream.close()
                }
                uploader.onEnd = { _ in finish([uploader.received == answer, true]) }
                uploader.onFail = { _ in finish([uploader.received == answer, false]) }
                (client.delegate, server.delegate) = (uploader, refuser)
                client.write([UInt8](repeating: 0x42, count: 200_000))
            }
        }
        #expect(outcome == [true, true])
    }

    /// A client that writes all it has before it reads: 24 MB, far more than any buffer holds.
    @Test(arguments: [3, 3_000_000])
    func `a peer that writes its whole upload before reading still gets the whole response`(
        byteCount: Int
    ) async throws {
        let answer = [UInt8](repeating: 0x41, count: byteCount)
        let outcome: [Bool] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let (uploader, refuser) = (Probe(), Probe())
                refuser.onReceive = { stream, _ in
                    stream.write(answer)
                    stream.close()
                }
                var rest = 24
                let piece = [UInt8](repeating: 0x42, count: 1_000_000)
                uploader.onDrain = { stream in
                    while rest > 0, !stream.isCongested {
                        stream.write(piece)
                        rest -= 1
                    }
                    if rest == 0 { stream.resumeReading() }
                }
                uploader.onEnd = { _ in finish([uploader.received == answer, rest == 0]) }
                uploader.onFail = { _ in finish([uploader.received == answer, rest == 0, false]) }
                (client.delegate, server.delegate) = (uploader, refuser)
                client.pauseReading()
                client.write(piece)
                uploader.streamDidDrain(client)
            }
        }
        #expect(outcome == [true, true])
    }

    @Test func `a socket stream closed by its delegate makes no further delegate calls`()
        async throws
    {
        let count: Int = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onReceive = { stream, _ in
                    stream.close()
                    #expect(!stream.isOpen)
                }
                reader.onEnd = { _ in Issue.record("called after close") }
                reader.onFail = { _ in Issue.record("called after close") }
                server.delegate = reader
                let writer = Probe()
                writer.onEnd = { _ in finish(reader.receiveCount) }
                client.delegate = writer
                client.write([UInt8](repeating: 1, count: 100_000))
                loop.schedule(afterNs: 1_000_000) { client.write([2]) }
            }
        }
        #expect(count == 1)
    }

    @Test
    func `a response that arrived before the connection reset is delivered before the failure`()
        async throws
    {
        let heard: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let uploader = Probe()
                uploader.onFail = { finish([uploader.text, $0.kind.rawValue]) }
                uploader.onEnd = { _ in Issue.record("the upload was cut") }
                client.delegate = uploader
                // Ours stays deaf while the other end answers and resets; then it writes.
                client.pauseReading()
                server.write(Array("413".utf8))
                server.flush()
                loop.schedule(afterNs: 1_000_000) {
                    server.abort()
                    loop.schedule(afterNs: 1_000_000) {
                        client.resumeReading()
                        client.write([UInt8](repeating: 1, count: 100_000))
                    }
                }
            }
        }
        #expect(heard == ["413", "reset"])
    }

    @Test func `a write to a reset connection fails even while reading is paused`() async throws {
        let kind: StreamError.Kind = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let writer = Probe()
                writer.onFail = { finish($0.kind) }
                client.delegate = writer
                client.pauseReading()
                server.abort()
                loop.schedule(afterNs: 1_000_000) { client.write([1]) }
            }
        }
        #expect(kind == .reset)
    }

    @Test func `closing, aborting or writing to a closed stream has no effect`() async throws {
        let isDone: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                client.close()
                client.close()
                client.write([1])
                client.shutdownWriting()
                client.pauseReading()
                client.resumeReading()
                client.flush()
                client.abort()
                client.abort()
                server.abort()
                finish(!client.isOpen)
            }
        }
        #expect(isDone)
    }

    @Test func `a closed stream stops lingering after a time limit even if the peer keeps sending`()
        async throws
    {
        var limits = LingerLimits()
        limits.totalNs = 50_000_000
        let closed: Bool = try await onLoop(lingering: limits) { loop, finish in
            try connectPair(on: loop) { client, server in
                let endless = Probe()
                endless.onEnd = { stream in
                    // Our peer has ended and throws away what we send, as long as its time lasts.
                    loop.scheduleRepeating(everyNs: 1_000_000) {
                        stream.write([UInt8](repeating: 7, count: 65_536))
                    }
                }
                endless.onFail = { _ in finish(true) }
                client.delegate = endless
                server.close()
            }
        }
        #expect(closed)
    }

    @Test func `a closed stream stops lingering after a timeout if the peer sends nothing`()
        async throws
    {
        var limits = LingerLimits()
        limits.silenceNs = 1_000_000
        let isGone: Bool = try await onLoop(lingering: limits) { loop, finish in
            try connectPair(on: loop) { client, server in
                // The client stays, and never reads that the server has ended.
                weak let watched = server
                var timer: Timer?
                timer = loop.scheduleRepeating(everyNs: 1_000_000) {
                    guard watched == nil else { return }
                    timer?.cancel()
                    finish(client.isOpen)
                }
                server.close()
            }
        }
        #expect(isGone)
    }

    @Test func `when too many closed streams linger, the oldest is closed first`() async throws {
        var limits = LingerLimits()
        limits.connectionCountMax = 2
        let heard: [Int] = try await onLoop(lingering: limits) { loop, finish in
            let servers = ClosedTogether(count: 3)
            for number in 0..<3 {
                try connectPair(on: loop) { client, server in
                    let probe = Probe()
                    probe.onFail = { _ in finish([number]) }
                    client.delegate = probe
                    servers.close(server, number: number)
                    // Whoever was closed with unread input resets the connection.
                    client.write([UInt8](repeating: 1, count: 100_000))
                    loop.scheduleRepeating(everyNs: 1_000_000) { client.write([1]) }
                }
            }
        }
        #expect(heard == [0])
    }

    /// One that was accepted begins to linger, then three that we opened.
    @Test(arguments: [(1, [1, 2, 3]), (2, [1, 2])])
    func `when too many closed streams linger, outgoing ones are closed before accepted ones`(
        countMax: Int, gone: [Int]
    ) async throws {
        var limits = LingerLimits()
        limits.connectionCountMax = countMax
        let heard: [Int] = try await onLoop(lingering: limits) { loop, finish in
            let streams = ClosedTogether(count: 4)
            var heard: [Int] = []
            for number in 0..<4 {
                try connectPair(on: loop) { opened, accepted in
                    let (closed, peer) = number == 0 ? (accepted, opened) : (opened, accepted)
                    let probe = Probe()
                    probe.onFail = { _ in
                        heard.append(number)
                        if heard.count == gone.count { finish(heard.sorted()) }
                    }
                    peer.delegate = probe
                    streams.close(closed, number: number)
                    loop.scheduleRepeating(everyNs: 1_000_000) { peer.write([1]) }
                }
            }
        }
        #expect(heard == gone)
    }

    @Test func `a closed stream is deallocated once its peer has closed, too`() async throws {
        let isGone: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                weak let watched = client
                client.delegate = Probe()
                let closer = Probe()
                closer.onEnd = { $0.close() }
                server.delegate = closer
                client.close()
                var timer: Timer?
                timer = loop.scheduleRepeating(everyNs: 1_000_000) {
                    guard watched == nil else { return }
                    timer?.cancel()
                    finish(true)
                }
            }
        }
        #expect(isGone)
    }

    @Test func `shutting down an event loop closes its streams`() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        var ends: [2 of Int32] = [-1, -1]
        let result = withUnsafeMutableBytes(of: &ends) { bytes in
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue), 0,
                bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        try #require(result == 0)
        let (ours, theirs) = (ends[0], ends[1])
        await withCheckedContinuation { done in
            loop.execute {
                SocketStream(adopting: ours, on: loop).delegate = Probe()
                done.resume()
            }
        }
        group.shutdown()
        var byte: UInt8 = 0
        #expect(read(theirs, &byte, 1) == 0)
        close(theirs)
    }
}

/// Closes streams in the order of their numbers, as soon as all are there.
private final class ClosedTogether {
    private let count: Int
    private var waiting: [Int: SocketStream] = [:]

    init(count: Int) { self.count = count }

    func close(_ stream: SocketStream, number: Int) {
        waiting[number] = stream
        guard waiting.count == count else { return }
        for number in 0..<count { waiting[number]?.close() }
        waiting = [:]
    }
}
