import ProxydEventLoops
import ProxydTLS
import Testing

@testable import ProxydTransport

@Suite(.timeLimit(.minutes(10)))
struct TLSStreamFailureTests {
    let fixture: TLSFixture

    init() throws { fixture = try TLSFixture() }

    @Test func `a TLS server detects that its client rejected the certificate`() async throws {
        let context = try fixture.leaves.serverContext(for: "example.test")
        let isRefused: Bool? = try await onLoop { [fixture] loop, finish in
            try connectPair(on: loop) { client, server in
                let stream = TLSStream(
                    client: fixture.distrusting, policy: TLSPolicy(name: "example.test"),
                    port: 443, over: client
                ) { _ in client.close() }
                stream.start()
                let peer = TLSStream(
                    server: context, over: server, handshakeTimeoutNs: 60_000_000_000
                ) { outcome in
                    if case .failure(let error) = outcome {
                        finish(error.isCertificateRefusedByPeer)
                    } else {
                        finish(nil)
                    }
                    server.close()
                }
                peer.start()
            }
        }
        #expect(isRefused == true)
    }

    @Test func `invalid bytes make the TLS handshake fail and are answered with an alert`()
        async throws
    {
        let context = try fixture.leaves.serverContext(for: "example.test")
        let answer: [UInt8] = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let reader = StreamProbe()
                reader.onEnd = { _, _ in finish(reader.received) }
                client.delegate = reader
                client.write([0x16, 0x03, 0x01, 0x00, 0x05, 0xFF, 0, 0, 1, 0])
                let peer = TLSStream(
                    server: context, over: server, handshakeTimeoutNs: 60_000_000_000
                ) { outcome in
                    #expect(throws: TLSError.self) { try outcome.get() }
                    #expect(server.isOpen && server.delegate == nil)
                    server.close()
                }
                peer.start()
            }
        }
        #expect(answer.first == 0x15)
    }

    @Test func `a TLS handshake with a silent client fails at its timeout`() async throws {
        let context = try fixture.leaves.serverContext(for: "example.test")
        let message: String? = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let peer = TLSStream(
                    server: context, over: server, handshakeTimeoutNs: 1_000_000
                ) { outcome in
                    if case .failure(let error) = outcome { finish(error.message) }
                    server.close()
                    client.close()
                }
                peer.start()
            }
        }
        #expect(message == "the TLS handshake took too long")
    }

    @Test(arguments: [true, false])
    func `a TLS handshake fails when the peer closes or resets the connection`(withReset: Bool)
        async throws
    {
        let kind: TLSError.Kind? = try await onLoop { [fixture] loop, finish in
            try connectPair(on: loop) { client, server in
                let stream = TLSStream(
                    client: fixture.trusting, policy: TLSPolicy(name: "example.test"), port: 443,
                    over: client
                ) { outcome in
                    if case .failure(let error) = outcome {
                        finish(error.kind)
                    } else {
                        finish(nil)
                    }
                }
                stream.start()
                if withReset { server.abort() } else { server.close() }
            }
        }
        #expect(kind == .closedDuringHandshake)
    }

    @Test func `invalid bytes after the TLS handshake make the stream fail`() async throws {
        let kind: StreamError.Kind = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let reader = StreamProbe()
                reader.onFail = { error in
                    #expect(!client.isOpen)
                    finish(error.kind)
                }
                client.delegate = reader
                server.transport.write([0x17, 0x03, 0x03, 0x00, 0x04, 1, 2, 3, 4])
            }
        }
        #expect(kind == .security)
    }

    @Test func `a reset after the TLS handshake is reported to the delegate`() async throws {
        let kind: StreamError.Kind = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let reader = StreamProbe()
                reader.onFail = { finish($0.kind) }
                client.delegate = reader
                server.abort()
            }
        }
        #expect(kind == .reset)
    }

    @Test func `a TLS stream does not call its delegate after it was closed`() async throws {
        let isDone: Bool = try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let reader = StreamProbe()
                reader.onReceive = { stream, _ in stream.close() }
                reader.onEnd = { _, _ in Issue.record("called after close") }
                reader.onFail = { _ in Issue.record("called after close") }
                server.delegate = reader
                let writer = StreamProbe()
                writer.onEnd = { stream, isClean in
                    stream.close()
                    finish(isClean)
                }
                client.delegate = writer
                client.write([UInt8](repeating: 1, count: 200_000))
                server.delegate = reader
            }
        }
        #expect(isDone)
    }

    @Test func `a TLS stream closed during its handshake does not call its completion handler`()
        async throws
    {
        let isDone: Bool = try await onLoop { [fixture] loop, finish in
            try connectPair(on: loop) { client, server in
                let stream = TLSStream(
                    client: fixture.trusting, policy: TLSPolicy(name: "example.test"), port: 443,
                    over: client
                ) { _ in Issue.record("told after close") }
                stream.start()
                stream.close()
                server.abort()
                loop.schedule(afterNs: 10_000_000) { finish(!stream.isOpen && !client.isOpen) }
            }
        }
        #expect(isDone)
    }
}
