import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Bytes that go at the pace of an actor: none is lost, and their sources keep pace.
struct PaceTests {
    private static let get = "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let much = [UInt8](repeating: 0, count: 100 << 10)

    /// Plays on where a tunnel stands at whose pace nothing goes yet.
    private static func openTunnel(_ book: Playbook, saying bytes: [UInt8]) {
        book.clientSends(connect)
        book.connects()
        book.clientSends(bytes)
        _ = book.did()
    }

    @Test
    func `when a held message is released, its sender is paused while the throttle has a backlog`()
        throws
    {
        let pace = ScriptedPace()
        let actor = ScriptedActor([.requestHead, .responseHead], pace: pace)
        let (isClientPaused, isServerPaused) = try Playbook.play(actor: actor) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: \(1 << 20)\r\n\r\n")
            book.clientSends(Self.much)
            if let (request, decision) = actor.requestHeads.first { decision.make(.pass(request)) }
            let server = book.connects()
            let isClientPaused = book.client.isReadingPaused
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 20)\r\n\r\n")
            server.receive(Self.much, pieceByteCount: .max)
            if let (response, decision) = actor.responseHeads.first {
                decision.make(.pass(response, .stream))
            }
            return (isClientPaused, server.isReadingPaused)
        }
        #expect(isClientPaused)
        #expect(isServerPaused)
    }

    @Test func `a client is paused from the start if it sends faster than a tunnel's throttle`()
        throws
    {
        let isPaused = try Playbook.play(actor: ScriptedActor(pace: ScriptedPace())) { book in
            Self.openTunnel(book, saying: Self.much)
            return book.client.isReadingPaused
        }
        #expect(isPaused)
    }

    @Test
    func `a client ahead of the throttle stays paused even when the output to the server drains`()
        throws
    {
        let pace = ScriptedPace()
        let isPaused = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            Self.openTunnel(book, saying: [0])
            pace.step()
            book.servers[0].queuedByteCount = 1 << 20
            book.clientSends(Self.much + Self.much)
            pace.step(byteCount: 1)
            book.servers[0].drain()
            return book.client.isReadingPaused
        }
        #expect(isPaused)
    }

    @Test(arguments: [true, false])
    func `bytes that a tunnel's throttle delays are delivered even after both sides have closed`(
        clientEndsFirst: Bool
    ) throws {
        let pace = ScriptedPace()
        let (before, after) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            Self.openTunnel(book, saying: [0])
            pace.step()
            _ = book.did()
            if clientEndsFirst {
                book.clientSends("last words")
                book.clientEnds()
                book.serverEnds()
            } else {
                book.serverSends("last words")
                book.serverEnds()
                book.clientEnds()
            }
            let before = book.did()
            pace.step()
            return (before, book.did())
        }
        #expect(!before.contains { $0.hasSuffix("closed") })
        #expect(after.first == (clientEndsFirst ? "server" : "client") + " < last words")
        #expect(after.suffix(2) == ["client closed", "server closed"])
    }

    @Test(arguments: [
        (ExchangeEnd.close, "client closed"), (.reset, "client aborted"),
    ])
    func `a throttle can end a response after the client has received part of it`(
        end: ExchangeEnd, ending: String
    ) throws {
        let pace = ScriptedPace()
        let (did, row) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            book.clientSends(Self.get)
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbad wa")
            pace.step(byteCount: 4)
            pace.end(end)
            book.serverSends("ter")
            return (book.did(), book.sink.rows.first)
        }
        #expect(
            did == [
                "client < HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎bad ", "server aborted", ending,
            ])
        #expect(row?.state == .failed)
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.appliedRules == [ScriptedPace.applied])
        #expect(row?.responseBody == Array("bad wa".utf8))
    }

    @Test func `an exchange is recorded as failed if a throttle immediately cuts off its response`()
        throws
    {
        let pace = ScriptedPace(endsAtOnce: true)
        let actor = ScriptedActor(wholeByteCountMax: 100, pace: pace)
        let row = try Playbook.play(actor: actor) { book in
            book.clientSends(Self.get)
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            return book.sink.rows.first
        }
        #expect(row?.state == .failed)
        #expect(row?.failure == ScriptedPace.failure)
    }

    @Test
    func `a throttle that ends a response body of unknown length resets the client connection`()
        throws
    {
        let pace = ScriptedPace()
        let did = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            book.clientSends("GET http://h/a HTTP/1.0\r\nHost: h\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.0 200 OK\r\n\r\nno end")
            pace.end(.close)
            return book.did()
        }
        #expect(did.last == "client aborted")
    }

    @Test(arguments: [
        (ExchangeEnd.close, "client closed"), (.reset, "client aborted"),
    ])
    func `a throttle can end an upload before the response begins`(
        end: ExchangeEnd, ending: String
    ) throws {
        let pace = ScriptedPace()
        let (did, row) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            book.clientSends("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nup")
            book.connects()
            _ = book.did()
            pace.end(end)
            return (book.did(), book.sink.rows.first)
        }
        #expect(did == ["server aborted", ending])
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.requestBody == Array("up".utf8))
    }

    @Test(arguments: [
        (ExchangeEnd.close, "client closed"), (.reset, "client aborted"),
    ])
    func `a throttle can cut a tunnel, and the record says that the throttle did`(
        end: ExchangeEnd, ending: String
    )
        throws
    {
        let pace = ScriptedPace()
        let (did, row) = try Playbook.play(actor: ScriptedActor(pace: pace)) { book in
            Self.openTunnel(book, saying: [0])
            pace.step()
            book.clientSends("x")
            _ = book.did()
            pace.end(end)
            return (book.did(), book.sink.rows.first)
        }
        #expect(did == [ending, "server aborted"])
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test func `no timeout runs while a throttle delays bytes`() throws {
        var configuration = EngineConfiguration()
        configuration.bodyIdleTimeoutNs = 1_000_000_000
        configuration.responseTimeoutNs = 1_000_000_000
        let pace = ScriptedPace()
        let (held, after) = try Playbook.play(
            configuration: configuration, actor: ScriptedActor(pace: pace)
        ) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nup")
            book.connects()
            _ = book.did()
            book.passes(seconds: 100)
            let upload = book.did()
            pace.step()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndown")
            let head = book.did()
            book.passes(seconds: 100)
            let held = book.did()
            pace.step()
            return (upload + held, head + book.did())
        }
        #expect(held == [])
        #expect(
            after == [
                "server < up", "client < HTTP/1.1 200 OK⏎Content-Length: 4⏎⏎",
                "client < down",
            ])
    }

    @Test
    func `a server's silence after a throttled upload does not trigger the body timeout`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.bodyIdleTimeoutNs = 1_000_000_000
        let pace = ScriptedPace()
        let did = try Playbook.play(
            configuration: configuration, actor: ScriptedActor(pace: pace)
        ) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nup")
            book.connects()
            pace.step()
            _ = book.did()
            book.passes(seconds: 100)
            return book.did()
        }
        #expect(did == [])
    }

    @Test func `a throttle that releases bytes one by one without delay delivers all of them`()
        throws
    {
        let actor = ScriptedActor(pace: ScriptedPace(byteCountAtOnce: 1))
        let byteCount = try Playbook.play(actor: actor) { book in
            Self.openTunnel(book, saying: Self.much)
            return book.servers[0].written.count
        }
        #expect(byteCount == Self.much.count)
    }

    @Test
    func `if the server sends a 101 while the request is throttled, the client gets a 502`()
        throws
    {
        let did = try Playbook.play(actor: ScriptedActor(pace: ScriptedPace())) { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n"
                    + "Content-Length: 2\r\n\r\nupnext")
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            return book.did()
        }
        #expect(did.first == "server aborted")
        #expect(did.dropFirst().first?.hasPrefix("client < HTTP/1.1 502") == true)
    }
}
