import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// An opaque tunnel while it carries bytes.
struct TunnelTests {
    /// Plays on where a tunnel has carried a byte from the client.
    private func play<Value: Sendable>(
        _ configuration: EngineConfiguration = EngineConfiguration(),
        _ script: @escaping @Sendable (Playbook, ScriptedStream) -> Value
    ) throws -> Value {
        try Playbook.play(configuration: configuration) { book in
            book.clientSends("CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n")
            let server = book.connects()
            book.clientSends([0])
            _ = book.did()
            return script(book, server)
        }
    }

    @Test func `a tunnel pauses the side that sends faster than the other side reads`() throws {
        let (upload, download) = try play { book, server in
            server.queuedByteCount = 1 << 20
            book.clientSends("up")
            server.drain()
            let upload = book.did()
            book.client.queuedByteCount = 1 << 20
            book.serverSends("down")
            book.client.drain()
            return (upload, book.did())
        }
        #expect(upload == ["server < up", "client paused", "client resumed"])
        #expect(download == ["client < down", "server paused", "server resumed"])
    }

    @Test func `an open tunnel that is idle for long is closed without a failure`() throws {
        let (soon, late, rows) = try play { book, _ in
            book.passes(seconds: 3_000)
            let soon = book.did()
            book.passes(seconds: 4_000)
            return (soon, book.did(), book.sink.rows)
        }
        #expect(soon == [])
        #expect(late == ["client closed", "server closed"])
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.map(\.failure) == [nil])
    }

    @Test(arguments: [true, false])
    func `a half-closed tunnel is closed after a shorter timeout than an idle open tunnel`(
        clientEnds: Bool
    ) throws {
        let (ended, soon, late, rows) = try play { book, _ in
            if clientEnds { book.clientEnds() } else { book.serverEnds() }
            let ended = book.did()
            book.passes(seconds: 299)
            let soon = book.did()
            book.passes(seconds: 301)
            return (ended, soon, book.did(), book.sink.rows)
        }
        #expect(ended == [(clientEnds ? "server" : "client") + " write side ended"])
        #expect(soon == [])
        #expect(late == ["client closed", "server closed"])
        #expect(rows.map(\.state) == [.tunnel])
    }

    @Test(arguments: [(60, 20, 20), (20, 60, 20), (0, 60, 60)])
    func `the half-closed timeout of a tunnel is configurable but limited by its idle timeout`(
        idleSeconds: Int64, halfClosedSeconds: Int64, expected: Int64
    ) throws {
        var configuration = EngineConfiguration()
        let second: Int64 = 1_000_000_000
        configuration.tunnelIdleTimeoutNs =
            idleSeconds == 0 ? EngineConfiguration.forever : idleSeconds * second
        configuration.halfClosedTunnelTimeoutNs = halfClosedSeconds * second
        let (soon, late) = try play(configuration) { book, _ in
            book.serverEnds()
            _ = book.did()
            book.passes(seconds: expected - 1)
            let soon = book.did()
            book.passes(seconds: expected + 1)
            return (soon, book.did())
        }
        #expect(soon == [])
        #expect(late == ["client closed", "server closed"])
    }

    @Test func `a tunnel continues while the proxy drains and is closed when the proxy terminates`()
        throws
    {
        let (draining, ended, rows) = try play { book, _ in
            book.proxy.clients.drainAll()
            book.clientSends("on")
            let draining = book.did()
            book.proxy.clients.terminateAll()
            return (draining, book.did(), book.sink.rows)
        }
        #expect(draining == ["server < on"])
        #expect(ended == ["client closed", "server closed"])
        #expect(rows.map(\.failure?.kind) == [.shutdown])
    }
}
