import EventLoops
import Testing

@testable import Transport

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
    @Test func `a peer that sent session tickets only is silent, and can be talked to`()
        async throws
    {
        let seen = try await look { _ in }
        #expect(seen.isSilent && seen.echo == "hi")
    }

    @Test func `a peer that sent application data is not`() async throws {
        let seen = try await look { peer in
            peer.write(Array("unasked".utf8))
            peer.flush()
        }
        #expect(!seen.isSilent)
    }

    @Test func `a peer that ended is not, with close_notify and without`() async throws {
        #expect(try await look { $0.close() }.isSilent == false)
        #expect(try await look { $0.transport.close() }.isSilent == false)
    }

    @Test func `a peer that sent what is no TLS is not`() async throws {
        let seen = try await look { peer in
            peer.transport.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            peer.transport.flush()
        }
        #expect(!seen.isSilent)
    }
}
