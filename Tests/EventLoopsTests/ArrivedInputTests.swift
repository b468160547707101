import ProxydEventLoops
import Testing

/// Looking, without waiting, at what has come and was not delivered yet.
@Suite(.timeLimit(.minutes(10)))
struct ArrivedInputTests {
    /// What a look finds after the peer did something, before the loop has come round to it.
    private func look(
        after act: @escaping @Sendable (_ peer: SocketStream) -> Void
    ) async throws -> (text: String, isOpen: Bool) {
        try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let probe = Probe()
                probe.onReceive = { _, _ in Issue.record("delivered") }
                (client.delegate, server.delegate) = (probe, Probe())
                act(server)
                var found: [UInt8] = []
                let isOpen = client.takeArrived { bytes in
                    bytes.withUnsafeBufferPointer { found += $0 }
                }
                probe.onReceive = nil
                finish((String(decoding: found, as: UTF8.self), isOpen))
            }
        }
    }

    @Test func `checking a stream for arrived input finds nothing if the peer has sent nothing`()
        async throws
    {
        let seen = try await look { _ in }
        #expect(seen.text.isEmpty && seen.isOpen)
    }

    @Test func `bytes that a peer has sent can be taken without waiting for the event loop`()
        async throws
    {
        let seen = try await look { peer in
            peer.write(Array("unasked".utf8))
            peer.flush()
        }
        #expect(seen.text == "unasked" && seen.isOpen)
    }

    @Test func `a peer's close or reset is noticed without waiting for the event loop`()
        async throws
    {
        #expect(try await look { $0.close() }.isOpen == false)
        #expect(try await look { $0.abort() }.isOpen == false)
    }

    @Test func `a stream still delivers new input after a check for arrived input`() async throws {
        let text: String = try await onLoop { loop, finish in
            try connectPair(on: loop) { client, server in
                let probe = Probe()
                probe.onReceive = { _, _ in finish(probe.text) }
                (client.delegate, server.delegate) = (probe, Probe())
                server.write(Array("first".utf8))
                server.flush()
                _ = client.takeArrived { _ in }
                server.write(Array("second".utf8))
            }
        }
        #expect(text == "second")
    }
}
