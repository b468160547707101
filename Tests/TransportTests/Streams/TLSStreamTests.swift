import ProxydEventLoops
import ProxydTLS
import Testing

@testable import ProxydTransport

@Suite(.timeLimit(.minutes(10)))
struct TLSStreamTests {
    let fixture: TLSFixture

    init() throws { fixture = try TLSFixture() }

    @Test func `bytes echoed over a TLS stream come back unchanged`() async throws {
        let sent = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let back: [UInt8] = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let (asker, echo) = (StreamProbe(), StreamProbe())
                echo.onReceive = { stream, bytes in stream.write(bytes) }
                echo.onEnd = { stream, _ in stream.close() }
                asker.onEnd = { stream, isClean in
                    stream.close()
                    finish(isClean ? asker.received : [])
                }
                (server.delegate, client.delegate) = (echo, asker)
                for piece in [sent[..<7], sent[7..<100], sent[100..<40_000], sent[40_000...]] {
                    client.write(Array(piece))
                }
                client.shutdownWriting()
            }
        }
        #expect(back == sent)
    }

    @Test func `small writes to a TLS stream within one event loop dispatch arrive together`()
        async throws
    {
        let queued: [Int] = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let reader = StreamProbe()
                var deliveries = 0
                reader.onReceive = { _, _ in
                    deliveries += 1
                    if reader.received.count == 100 { finish([deliveries]) }
                }
                (client.delegate, server.delegate) = (StreamProbe(), reader)
                for _ in 0..<100 { client.write([1]) }
                #expect(client.queuedByteCount == 100)
            }
        }
        #expect(queued == [1])
    }

    @Test func `bytes written before the TLS handshake are sent after it`() async throws {
        let context = try fixture.leaves.serverContext(for: "example.test")
        let text: String = try await onLoop { [fixture] loop, finish in
            try connectPair(on: loop) { client, server in
                let stream = TLSStream(
                    client: fixture.trusting, policy: TLSPolicy(name: "example.test"), port: 443,
                    over: client
                ) { _ in }
                stream.delegate = StreamProbe()
                stream.start()
                stream.write(Array("early".utf8))
                let reader = StreamProbe()
                reader.onReceive = { _, _ in finish(reader.text) }
                let peer = TLSStream(
                    server: context, over: server, handshakeTimeoutNs: 60_000_000_000
                ) { _ in }
                peer.delegate = reader
                peer.start()
            }
        }
        #expect(text == "early")
    }

    @Test func `a TLS server stream accepts a ClientHello that was already read`() async throws {
        let context = try fixture.leaves.serverContext(for: "example.test")
        let facts: TLSFacts? = try await onLoop { [fixture] loop, finish in
            try connectPair(on: loop) { client, server in
                let stream = TLSStream(
                    client: fixture.trusting, policy: TLSPolicy(name: "example.test"), port: 443,
                    over: client
                ) { finish(try? $0.get()) }
                stream.start()
                let peeker = StreamProbe()
                peeker.onReceive = { transport, _ in
                    let peer = TLSStream(
                        server: context, over: transport, alreadyReceived: peeker.received,
                        handshakeTimeoutNs: 60_000_000_000
                    ) { _ in }
                    peer.delegate = StreamProbe()
                    peer.start()
                }
                server.delegate = peeker
            }
        }
        #expect(facts?.version == "TLSv1.3")
        #expect(facts?.alpn == "http/1.1")
        #expect(facts?.peerCertificates.isEmpty == false)
    }

    @Test func `each direction of a TLS stream can be closed independently`() async throws {
        let seen: [String] = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let (left, right) = (StreamProbe(), StreamProbe())
                right.onEnd = { stream, isClean in
                    stream.write(Array("late answer, clean: \(isClean)".utf8))
                    stream.shutdownWriting()
                }
                left.onEnd = { _, isClean in finish([left.text, "\(isClean)"]) }
                (client.delegate, server.delegate) = (left, right)
                client.shutdownWriting()
                client.write(Array("ignored".utf8))
            }
        }
        #expect(seen == ["late answer, clean: true", "true"])
    }

    @Test func `the end of a TLS stream without close_notify is not reported as a clean end`()
        async throws
    {
        let isClean: Bool = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let reader = StreamProbe()
                reader.onEnd = { _, isClean in finish(isClean) }
                client.delegate = reader
                server.transport.close()
            }
        }
        #expect(!isClean)
    }

    @Test func `plaintext is not delivered while a TLS stream is paused`() async throws {
        let order: [String] = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                var order: [String] = []
                let reader = StreamProbe()
                reader.onReceive = { stream, _ in
                    order.append("\(reader.received.count)")
                    stream.pauseReading()
                    loop.schedule(afterNs: 1_000_000) {
                        order.append("resume")
                        stream.resumeReading()
                    }
                }
                reader.onEnd = { _, isClean in finish(order + ["end \(isClean)"]) }
                server.delegate = reader
                client.delegate = StreamProbe()
                client.write([UInt8](repeating: 1, count: 150_000))
                client.close()
            }
        }
        #expect(order.filter { $0 == "resume" }.count == order.count / 2)
        #expect(order.dropLast(2).last == "150000")
        #expect(order.last == "end true")
    }

    @Test
    func `plaintext that arrives before a TLS stream has a delegate is delivered to it later`()
        async throws
    {
        let text: String = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                server.write(Array("welcome".utf8))
                let reader = StreamProbe()
                reader.onReceive = { _, _ in finish(reader.text) }
                loop.schedule(afterNs: 5_000_000) { client.delegate = reader }
            }
        }
        #expect(text == "welcome")
    }

    @Test func `a TLS stream reports congestion to its writer and later that it has drained`()
        async throws
    {
        let isDone: Bool = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let (source, sink) = (StreamProbe(), StreamProbe())
                var remaining = 20 << 20
                var stopCount = 0
                func pump(_ stream: any DuplexStream) {
                    while remaining > 0, !stream.isCongested {
                        stream.write([UInt8](repeating: 5, count: 65_536))
                        remaining -= 65_536
                    }
                    if remaining > 0 { stopCount += 1 } else { stream.close() }
                }
                source.onDrain = { pump($0) }
                sink.onEnd = { _, _ in
                    finish(sink.received.count == 20 << 20 && stopCount > 0)
                }
                (client.delegate, server.delegate) = (source, sink)
                pump(client)
            }
        }
        #expect(isDone)
    }
}
