import Glibc
import Testing

@testable import ProxydEventLoops

@Suite(.timeLimit(.minutes(10)))
struct SocketStreamTests {
    @Test func `bytes echoed over a socket stream come back unchanged`() async throws {
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let back: [UInt8] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let (asker, echo) = (Probe(), Probe())
                echo.onReceive = { stream, bytes in stream.write(bytes) }
                echo.onEnd = { $0.close() }
                asker.onEnd = { stream in
                    stream.close()
                    finish(asker.received)
                }
                (server.delegate, client.delegate) = (echo, asker)
                client.write(sent)
                client.shutdownWriting()
            }
        }
        #expect(back == sent)
    }

    @Test func `a socket stream that acknowledges early turns off the kernel's delay`() async throws
    {
        let options: [Int32?] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                func option() -> Int32? {
                    client.ask { SocketCalls.option($0, Int32(IPPROTO_TCP), TCP_QUICKACK) }
                }
                client.ask { SocketCalls.setOption($0, Int32(IPPROTO_TCP), TCP_QUICKACK, 0) }
                let delayed = option()
                client.acknowledge()
                finish([delayed, option()])
                server.abort()
            }
        }
        #expect(options == [0, 1])
    }

    @Test func `writes to a socket stream within one event loop dispatch arrive together`()
        async throws
    {
        let seen: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onReceive = { _, _ in finish([reader.text]) }
                server.delegate = reader
                for piece in ["GET ", "/ ", "HTTP/1.1", "\r\n\r\n"] {
                    client.write([UInt8](piece.utf8))
                }
                #expect(client.queuedByteCount == 18)
            }
        }
        #expect(seen == ["GET / HTTP/1.1\r\n\r\n"])
    }

    @Test func `small and large writes to a socket stream keep their order`() async throws {
        let isSame: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var expected: [UInt8] = []
                let reader = Probe()
                reader.onEnd = { _ in finish(reader.received == expected) }
                server.delegate = reader
                for (index, size) in [10, 20_000, 3, 70_000, 16_384, 1, 400_000, 5].enumerated() {
                    let piece = [UInt8](repeating: UInt8(index), count: size)
                    expected += piece
                    client.write(piece)
                }
                client.close()
            }
        }
        #expect(isSame)
    }

    @Test func `each direction of a socket stream can be closed independently`() async throws {
        let order: [String] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                var order: [String] = []
                let (left, right) = (Probe(), Probe())
                right.onEnd = { stream in
                    order.append("server saw the end")
                    stream.write(Array("late answer".utf8))
                    stream.shutdownWriting()
                }
                left.onEnd = { _ in finish(order + [left.text]) }
                (client.delegate, server.delegate) = (left, right)
                client.shutdownWriting()
                client.write(Array("ignored".utf8))
            }
        }
        #expect(order == ["server saw the end", "late answer"])
    }

    @Test func `aborting a socket stream resets the connection at the other end`() async throws {
        let kind: StreamError.Kind = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onFail = { finish($0.kind) }
                reader.onEnd = { _ in Issue.record("a reset is no clean end") }
                server.delegate = reader
                client.abort()
            }
        }
        #expect(kind == .reset)
    }

    @Test func `a failed socket stream is already closed when its delegate is informed`()
        async throws
    {
        let isOpen: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onFail = { _ in
                    server.write([1])
                    server.close()
                    finish(server.isOpen || server.delegate != nil)
                }
                server.delegate = reader
                client.abort()
            }
        }
        #expect(!isOpen)
    }

    @Test func `a socket stream with a delegate stays alive without other references`() async throws
    {
        let text: String = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = Probe()
                reader.onReceive = { _, _ in finish(reader.text) }
                server.delegate = reader
                loop.schedule(afterNs: 1_000_000) { client.write(Array("here".utf8)) }
            }
        }
        #expect(text == "here")
    }

    @Test func `a closed socket stream releases its delegate`() async throws {
        let isGone: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                weak var held: Probe?
                do {
                    let probe = Probe()
                    held = probe
                    client.delegate = probe
                }
                client.close()
                finish(held == nil)
                server.abort()
            }
        }
        #expect(isGone)
    }

    @Test func `each end of a connection has the other end's local address as its peer address`()
        async throws
    {
        let match: Bool = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let isMatch =
                    client.peerAddress == server.localAddress
                    && client.localAddress == server.peerAddress
                finish(isMatch && client.peerAddress.isLoopback && client.peerCredentials == nil)
                client.abort()
            }
        }
        #expect(match)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct OutputQueueTests {
    @Test func `an output queue returns bytes in order for any sizes of appends and removals`()
        async throws
    {
        let isSame: Bool = try await onLoop { loop, finish in
            var queue = OutputQueue()
            var (next, expected): (UInt8, UInt8) = (0, 0)
            var isSame = true
            for round in 0..<200 {
                let piece = (0..<(round * 37 % 5_000)).map { _ in
                    next &+= 1
                    return next
                }
                queue.append(piece.span, loop: loop)
                let taken = min(queue.byteCount, round * 91 % 4_900)
                queue.withBytes { bytes in
                    for byte in bytes.prefix(taken) {
                        expected &+= 1
                        isSame = isSame && byte == expected
                    }
                }
                queue.removeFirst(taken, loop: loop)
            }
            finish(isSame && queue.byteCount > 0)
        }
        #expect(isSame)
    }

    @Test func `an emptied output queue returns its storage to the event loop for reuse`()
        async throws
    {
        let capacities: [Bool] = try await onLoop { loop, finish in
            var first = OutputQueue()
            first.append([UInt8](repeating: 1, count: 10_000).span, loop: loop)
            first.removeFirst(20_000, loop: loop)
            let spare = loop.takeSpareBuffer()
            finish([first.isEmpty, spare.isEmpty, spare.capacity >= 10_000])
        }
        #expect(capacities == [true, true, true])
    }
}
