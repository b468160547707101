import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine
@testable import ProxydTransport

/// The relay and the pool with sides that carry several exchanges at a time, as HTTP/2 does: what
/// happens to one of them is no other's business.
struct InterleavedStreamsTests {
    /// A client connection and a server connection with room for two streams.
    private final class Scene {
        let book: Playbook
        let client: FramedClient
        private(set) var servers: [FramedServer] = []

        init(_ book: Playbook) {
            self.book = book
            client = FramedClient(book)
            let loop = book.proxy.loop
            book.proxy.transport.makeMachine = { [unowned self] _, connection, _ in
                let server = FramedServer(
                    name: "s\(servers.count + 1)", connection: connection,
                    transcript: book.transcript, loop: loop, streamCountMax: 2)
                servers.append(server)
                return server
            }
        }

        /// Two requests that share the first server connection.
        func begin() -> (first: FramedClientStream, second: FramedClientStream) {
            let first = client.request(1, "/a")
            book.connects()
            let second = client.request(3, "/b")
            _ = book.did()
            return (first, second)
        }

        func server(_ number: UInt32, of index: Int = 0) -> FramedServerStream {
            guard let stream = servers[index].streams[number] else {
                preconditionFailure("no stream \(number)")
            }
            return stream
        }
    }

    @Test func `on a connection with room for two streams, a third request gets a new connection`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let streams = [scene.client.request(1, "/a")]
            book.connects()
            let second = scene.client.request(3, "/b")
            let third = scene.client.request(5, "/c")
            book.connects()
            return withExtendedLifetime((streams, second, third)) { book.did() }
        }
        #expect(
            did == [
                "connect h:80", "s1/1 < GET /a", "s1/1 < end", "s1/3 < GET /b", "s1/3 < end",
                "connect h:80", "s2/1 < GET /c", "s2/1 < end",
            ])
    }

    @Test
    func `interleaved responses reach the right streams, and a finished stream frees its slot`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let streams = scene.begin()
            let (one, two) = (scene.server(1), scene.server(3))
            two.responds(200)
            one.responds(201)
            one.sends("one")
            two.sends("two")
            one.sends("ONE")
            two.ends()
            let third = scene.client.request(5, "/c")
            one.ends()
            return withExtendedLifetime((streams, third)) { book.did() }
        }
        #expect(
            did == [
                "client/3 < 200", "client/1 < 201", "client/1 < one", "client/3 < two",
                "client/1 < ONE", "client/3 < end", "s1/5 < GET /c", "s1/5 < end",
                "client/1 < end",
            ])
    }

    @Test func `a reset by the client ends one stream but not the server connection`() throws {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let streams = scene.begin()
            scene.server(1).responds(200)
            streams.first.resets()
            scene.server(3).responds(200)
            scene.server(3).ends()
            return book.did()
        }
        #expect(
            did == [
                "client/1 < 200", "s1/1 < reset", "client/1 < gone", "client/3 < 200",
                "client/3 < end",
            ])
    }

    @Test func `a reset by the server ends one stream but not the server connection`() throws {
        let (did, rows) = try Playbook.play { book in
            let scene = Scene(book)
            let streams = scene.begin()
            let (one, two) = (scene.server(1), scene.server(3))
            two.responds(200)
            two.sends("half")
            two.resets()
            one.resets()
            let third = scene.client.request(5, "/c")
            return withExtendedLifetime((streams, third)) {
                (book.did(), book.sink.rows.prefix(2).map(\.state.rawValue))
            }
        }
        #expect(
            did == [
                "client/3 < 200", "client/3 < half", "client/3 < reset",
                "client/1 < 502 of our own", "s1/5 < GET /c", "s1/5 < end",
            ])
        #expect(rows == [ExchangeState.failed.rawValue, ExchangeState.failed.rawValue])
    }

    @Test func `a client that reads one multiplexed response slowly does not slow down the others`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let streams = scene.begin()
            let (one, two) = (scene.server(1), scene.server(3))
            one.responds(200)
            two.responds(200)
            streams.first.isCongested = true
            one.sends("much")
            two.sends("more")
            two.ends()
            streams.first.drains()
            one.ends()
            return withExtendedLifetime(streams) { book.did() }
        }
        #expect(
            did == [
                "client/1 < 200", "client/3 < 200", "client/1 < much", "s1/1 paused",
                "client/3 < more", "client/3 < end", "s1/1 resumed", "client/1 < end",
            ])
    }

    @Test
    func `a server that takes one multiplexed request body slowly does not slow down the others`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let first = scene.client.request(1, "/a", method: .post, body: .chunked)
            book.connects()
            let second = scene.client.request(3, "/b", method: .post, body: .chunked)
            _ = book.did()
            scene.server(1).isCongested = true
            first.sends("much")
            second.sends("more")
            second.ends()
            scene.server(1).drains()
            first.ends()
            return book.did()
        }
        #expect(
            did == [
                "s1/1 < much", "client/1 paused", "s1/3 < more", "s1/3 < end", "client/1 resumed",
                "s1/1 < end",
            ])
    }

    @Test
    func `after GOAWAY, accepted streams finish, and the others are repeated on a new connection`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let streams = scene.begin()
            scene.servers[0].goesAway(after: 1)
            book.connects()
            let third = scene.client.request(5, "/c")
            scene.server(1).responds(200)
            scene.server(1).ends()
            scene.server(1, of: 1).responds(204)
            scene.server(1, of: 1).ends()
            return withExtendedLifetime((streams, third)) { book.did() }
        }
        #expect(
            did == [
                "connect h:80", "s2/1 < GET /b", "s2/1 < end", "s2/3 < GET /c", "s2/3 < end",
                "client/1 < 200", "s1 closed", "client/1 < end", "client/3 < 204",
                "client/3 < end",
            ])
    }

    @Test func `no other client shares a multiplexed connection on which a client uses NTLM`()
        throws
    {
        let did = try Playbook.play { book in
            let scene = Scene(book)
            let first = scene.client.request(1, "/a")
            book.connects()
            _ = book.did()
            scene.server(1).responds(401, [(name: "WWW-Authenticate", value: "NTLM")])
            let other = FramedClient(book).request(1, "/other")
            let second = scene.client.request(3, "/b")
            return withExtendedLifetime((first, second, other)) { book.did() }
        }
        #expect(
            did == [
                "client/1 bound", "client/1 < 401", "connect h:80", "s1/3 < GET /b", "s1/3 < end",
            ])
    }

    @Test
    func `the loss of an NTLM connection is reported only to the client that authenticated on it`()
        throws
    {
        let (isToldOwner, isToldOther) = try Playbook.play { book in
            let scene = Scene(book)
            let first = scene.client.request(1, "/a")
            book.connects()
            let other = FramedClient(book)
            let second = other.request(1, "/other")
            scene.server(1).responds(401, [(name: "WWW-Authenticate", value: "NTLM")])
            scene.server(1).ends()
            scene.server(3).responds(200)
            scene.server(3).ends()
            scene.servers[0].close()
            return withExtendedLifetime((first, second)) {
                (scene.client.affinity.hasLostBound, other.affinity.hasLostBound)
            }
        }
        #expect(isToldOwner)
        #expect(!isToldOther)
    }
}
