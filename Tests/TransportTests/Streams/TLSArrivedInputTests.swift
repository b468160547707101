import ProxydEventLoops
import Testing

@testable import ProxydTransport

/// Looking, without waiting, at what has come over TLS and was not delivered yet.
@Suite(.timeLimit(.minutes(10)))
struct TLSArrivedInputTests {
    let fixture: TLSFixture

    init() throws { fixture = try TLSFixture() }

    private func look(
        after act: @escaping @Sendable (_ peer: TLSStream) -> Void
    ) async throws -> (isSilent: Bool, echo: String) {
        try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let (asker, echo) = (StreamProbe(), StreamProbe())
                echo.onReceive = { stream, bytes in stream.write(bytes) }
                (server.delegate, client.delegate) = (echo, asker)
                act(server)
                guard client.isSilent() else { return finish((false, "")) }
                asker.onReceive = { _, _ in finish((true, asker.text)) }
                client.write(Array("hi".utf8))
            }
        }
    }

    /// The server's session tickets have come by then, or come with the look.
    @Test
    func `a TLS peer that sent only session tickets counts as silent, and the stream still works`()
        async throws
    {
        let seen = try await look { _ in }
        #expect(seen.isSilent && seen.echo == "hi")
    }

    @Test func `a TLS peer that sent application data does not count as silent`() async throws {
        let seen = try await look { peer in
            peer.write(Array("unasked".utf8))
            peer.flush()
        }
        #expect(!seen.isSilent)
    }

    @Test func `a TLS peer that closed, with or without close_notify, does not count as silent`()
        async throws
    {
        #expect(try await look { $0.close() }.isSilent == false)
        #expect(try await look { $0.transport.close() }.isSilent == false)
    }

    @Test func `a TLS peer that sent bytes that are not TLS does not count as silent`() async throws
    {
        let seen = try await look { peer in
            peer.transport.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            peer.transport.flush()
        }
        #expect(!seen.isSilent)
    }

    // MARK: From within a delivery

    /// The plaintext that a session hands out in one piece.
    private static let pieceByteCount = 65_536

    /// What a look found, and how many bytes were delivered all the same.
    private struct Look {
        var isOpen = true
        var foundByteCount = 0
        var deliveredByteCount = 0
    }

    /// Looks from within the delivery of the first piece. The bytes come as from one read;
    /// after them a few more lie in the socket, or none.
    private func lookWithinDelivery(
        of byteCount: Int, thenInSocket more: [UInt8] = []
    ) async throws -> Look {
        try await onLoop { [fixture] loop, finish in
            try fixture.securePair(on: loop) { client, server in
                let (reader, echo) = (StreamProbe(), StreamProbe())
                reader.onReceive = { _, _ in
                    // The session tickets have come by now.
                    Self.hold(back: Self.ciphertextByteCount(of: byteCount), from: client) {
                        server.write(more)
                        server.flush()
                        Self.look(within: reader, finish)
                    }
                    server.write([UInt8](repeating: 0x41, count: byteCount))
                }
                echo.onReceive = { stream, bytes in stream.write(bytes) }
                (server.delegate, client.delegate) = (echo, reader)
                client.write([0x42])
            }
        }
    }

    /// Looks within the next delivery, and finishes at the echo of what is then written, or when
    /// the stream breaks.
    private static func look(
        within reader: StreamProbe, _ finish: @escaping @Sendable (Look) -> Void
    ) {
        var look = Look()
        var hasLooked = false
        reader.received = []
        reader.onReceive = { stream, _ in
            if !hasLooked {
                hasLooked = true
                look.isOpen = stream.takeArrived { look.foundByteCount += $0.count }
                stream.write([0x42])
            }
            guard reader.received.last == 0x42 else { return }
            look.deliveredByteCount = reader.received.count - 1
            finish(look)
        }
        reader.onFail = { _ in
            look.deliveredByteCount = reader.received.count
            finish(look)
        }
    }

    /// Keeps ciphertext from a stream until so much has come, then hands it on in one go.
    private static func hold(
        back byteCount: Int, from client: TLSStream, _ allCame: @escaping () -> Void
    ) {
        let probe = StreamProbe()
        probe.onReceive = { transport, _ in
            guard probe.received.count >= byteCount else { return }
            #expect(probe.received.count == byteCount)
            transport.delegate = client
            allCame()
            let received = probe.received
            client.stream(transport, didReceive: received.span)
        }
        client.transport.delegate = probe
    }

    /// Of TLS 1.3 records of 16 KiB, each with a header, a type and a tag.
    private static func ciphertextByteCount(of byteCount: Int) -> Int {
        byteCount + (byteCount + 16_383) / 16_384 * 22
    }

    @Test func `a TLS stream that is delivering the last data received finds no further input`()
        async throws
    {
        let look = try await lookWithinDelivery(of: Self.pieceByteCount)
        #expect(look.isOpen && look.foundByteCount == 0)
        #expect(look.deliveredByteCount == Self.pieceByteCount)
    }

    @Test
    func `a TLS stream that is delivering one piece of data counts pieces yet to come as input`()
        async throws
    {
        let look = try await lookWithinDelivery(of: Self.pieceByteCount + 6)
        #expect(!look.isOpen)
        #expect(look.deliveredByteCount == Self.pieceByteCount + 6)
    }

    @Test
    func `checking a TLS stream for input during a delivery loses none of the delivered bytes`()
        async throws
    {
        let look = try await lookWithinDelivery(
            of: 3 * Self.pieceByteCount, thenInSocket: [1, 2, 3])
        #expect(!look.isOpen && look.foundByteCount == 0)
        #expect(look.deliveredByteCount == 3 * Self.pieceByteCount + 3)
    }

    @Test
    func `data waiting in the socket is noticed even while a TLS stream delivers earlier data`()
        async throws
    {
        let look = try await lookWithinDelivery(of: Self.pieceByteCount, thenInSocket: [1, 2, 3])
        #expect(!look.isOpen && look.foundByteCount == 0)
    }
}
