import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// One side of a CONNECT tunnel is gone before the tunnel carries anything.
struct ServerLossTests {
    private static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"

    /// Plays on where the tunnel stands and its server has left.
    private func play<Value: Sendable>(
        _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.serverEnds()
            _ = book.did()
            return script(book)
        }
    }

    @Test
    func `an unused tunnel that lost its server reconnects when the client sends non-HTTP bytes`()
        throws
    {
        let did = try play { book in
            book.clientSends([1, 2])
            let asked = book.did()
            // What comes, and ends, while the server is being reached is delivered as well.
            book.clientSends([3])
            book.clientEnds()
            book.connects()
            return [asked, book.did()]
        }
        #expect(
            did == [
                ["connect h:7"], ["server2 < \u{1}\u{2}\u{3}", "server2 write side ended"],
            ])
    }

    @Test
    func `an unused tunnel that lost its server reconnects when the client sends an HTTP request`()
        throws
    {
        let (did, rows) = try play { book in
            book.clientSends("GET /x HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did.first == "connect h:7")
        #expect(did.contains("server2 < GET /x HTTP/1.1⏎Host: h:7⏎⏎"))
        #expect(rows.map(\.status) == [204])
    }

    @Test
    func `a tunnel that lost its server fails with the reason if it cannot reconnect`()
        throws
    {
        let (did, rows) = try play { book in
            book.clientSends([1, 2])
            book.connectFails(.connectionRefused, "refused")
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["connect h:7", "client closed"])
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.map(\.failure?.kind) == [.connectionRefused])
        #expect(rows.map(\.status) == [nil])
    }

    @Test func `an unused tunnel ends without a failure when its server closes`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            _ = book.did()
            book.serverEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(did.last == "client closed")
        #expect(rows.map(\.state) == [.tunnel])
        #expect(rows.map(\.failure) == [nil])
    }

    @Test func `a tunnel that stays unused for long is closed on both sides`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.passes(seconds: 60)
            let first = book.did().count
            book.passes(seconds: 4_000)
            return (book.did(), first == 2 ? book.sink.rows : [])
        }
        #expect(did == ["server closed", "client closed"])
        #expect(rows.map(\.state) == [.tunnel])
    }

    @Test func `a client that resets its connection during CONNECT cancels the connection attempt`()
        throws
    {
        let (did, rows, count) = try Playbook.play { book in
            book.clientSends(Self.connect)
            _ = book.did()
            book.clientBreaks()
            return (book.did(), book.sink.rows, book.proxy.clients.count)
        }
        #expect(did == ["connect cancelled"])
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.map(\.failure?.origin) == [.client])
        #expect(count == 0)
    }

    @Test
    func `a tunnel is recorded as failed if its client resets it before its protocol is known`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("HELO")
            _ = book.did()
            book.clientBreaks()
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["server closed"])
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.map(\.failure?.origin) == [.client])
    }

    @Test
    func `a client that sends too much before the server is reached is paused and loses no bytes`()
        throws
    {
        let (early, did, sent) = try Playbook.play { book in
            book.clientSends(Self.connect)
            _ = book.did()
            book.clientSends(Array(repeating: 0, count: 400_000))
            let early = book.did()
            let server = book.connects()
            return (early, book.did(), server.written.count)
        }
        #expect(early == ["client paused"])
        #expect(did.contains("client resumed"))
        #expect(sent == 400_000)
    }
}
