import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// A client's connection that goes at a pace from its CONNECT on, whatever is spoken in it.
struct PacedConnectionTests {
    private static let connect = "CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let get = "GET /a HTTP/1.1\r\nHost: h:7\r\n\r\n"
    private static let forwarded = "server < GET /a HTTP/1.1⏎Host: h:7⏎⏎"

    /// Plays on where a client has asked for something in its tunnel.
    private static func ask(_ book: Playbook, _ early: String = "") {
        book.clientSends(connect + early)
        book.connects()
        if early.isEmpty { book.clientSends(get) }
    }

    @Test func `requests and responses in a throttled tunnel are held back by its throttle`() throws
    {
        let pace = ScriptedPace()
        let (told, asked, answered) = try Playbook.play(
            actor: ScriptedActor(connectPace: pace)
        ) { book in
            Self.ask(book)
            let told = book.did()
            pace.step()
            let asked = book.did()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            let before = book.did()
            pace.step()
            return (told, asked, [before, book.did()])
        }
        #expect(told == ["connect h:7", "client < HTTP/1.1 200 Connection established⏎⏎"])
        #expect(asked == [Self.forwarded])
        #expect(answered == [[], ["client < HTTP/1.1 204 No Content⏎⏎"]])
    }

    @Test func `a throttle is informed of bytes that arrive while earlier ones wait`() throws {
        let pace = ScriptedPace()
        let (waiting, grown) = try Playbook.play(
            actor: ScriptedActor(connectPace: pace)
        ) { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("GET ")
            book.clientSends("/")
            book.clientSends("a")
            return (pace.waiting.map(\.byteCount), pace.grown)
        }
        #expect(waiting == [4])
        #expect(grown == [5, 6])
    }

    @Test
    func `a throttled tunnel's client is not disconnected before the whole response is sent`()
        throws
    {
        let pace = ScriptedPace()
        let (before, after) = try Playbook.play(
            actor: ScriptedActor(connectPace: pace)
        ) { book in
            Self.ask(book)
            pace.step()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall")
            book.serverEnds()
            let before = book.did()
            pace.step()
            while !pace.waiting.isEmpty { pace.step() }
            return (before, book.did())
        }
        #expect(!before.contains { $0.hasPrefix("client") })
        #expect(after.first?.hasSuffix("all") == true, "\(after)")
        #expect(after.last == "client closed")
    }

    /// A whole response waits for the pace; then the client, or the pace, does something.
    private static func settle(
        _ pace: ScriptedPace, _ change: @escaping @Sendable (Playbook) -> Void
    ) throws -> (waiting: ExchangeState?, row: RecordingSink.Recorded?) {
        try Playbook.play(actor: ScriptedActor(connectPace: pace)) { book in
            ask(book)
            pace.step()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nall")
            let waiting = book.sink.rows.first?.state
            change(book)
            return (waiting, book.sink.rows.first)
        }
    }

    @Test func `a throttled response is recorded as delivered once its last byte has been sent`()
        throws
    {
        let pace = ScriptedPace()
        let (waiting, row) = try Self.settle(pace) { _ in
            while !pace.waiting.isEmpty { pace.step() }
        }
        #expect(waiting == nil)
        #expect(row?.state == .complete)
        #expect(row?.timeline[.delivered] != nil)
    }

    @Test
    func `if the client disconnects early, a throttled response is recorded as failed`()
        throws
    {
        let (waiting, row) = try Self.settle(ScriptedPace()) { $0.clientBreaks() }
        #expect(waiting == nil)
        #expect(row?.state == .failed)
        #expect(row?.failure == .clientClosed)
        #expect(row?.timeline[.delivered] == nil)
    }

    @Test func `a response that a throttle ends is recorded with the throttle's reason`() throws {
        let pace = ScriptedPace()
        let (_, row) = try Self.settle(pace) { _ in pace.end(.reset) }
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test func `a proxy that shuts down waits for throttled responses until it is terminated`()
        throws
    {
        let pace = ScriptedPace()
        let (count, row) = try Playbook.play(actor: ScriptedActor(connectPace: pace)) { book in
            Self.ask(book)
            pace.step()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nall")
            book.proxy.clients.drainAll()
            let count = book.proxy.clients.count
            book.proxy.clients.terminateAll()
            return ([count, book.proxy.clients.count], book.sink.rows.first)
        }
        #expect(count == [1, 0])
        #expect(row?.failure == .shutdown)
    }

    @Test(arguments: [
        (ExchangeEnd.close, "client closed"), (.reset, "client aborted"),
    ])
    func `if a throttle ends a tunnel, its exchange is recorded with the reason and the rule`(
        end: ExchangeEnd, ending: String
    ) throws {
        let pace = ScriptedPace()
        let (did, row) = try Playbook.play(actor: ScriptedActor(connectPace: pace)) { book in
            Self.ask(book)
            pace.step()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbad")
            _ = book.did()
            pace.end(end)
            return (book.did(), book.sink.rows.first)
        }
        #expect(did.first == ending)
        #expect(row?.url == "http://h:7/a")
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test func `a tunnel is recorded even if a throttle ends it before its first request`() throws {
        let pace = ScriptedPace()
        let row = try Playbook.play(actor: ScriptedActor(connectPace: pace)) { book in
            book.clientSends(Self.connect)
            book.connects()
            book.clientSends("G")
            pace.end(.reset)
            return book.sink.rows.first
        }
        #expect(row?.method == "CONNECT")
        #expect(row?.failure == ScriptedPace.failure)
        #expect(row?.appliedRules == [ScriptedPace.applied])
    }

    @Test func `a request sent together with CONNECT is not lost in a throttled tunnel`() throws {
        let did = try Playbook.play(actor: ScriptedActor(connectPace: ScriptedPace())) { book in
            Self.ask(book, Self.get)
            return book.did()
        }
        #expect(did.last == Self.forwarded)
    }

    @Test func `client and server are both paused when they send faster than the throttle`()
        throws
    {
        let pace = ScriptedPace()
        let (client, server) = try Playbook.play(
            actor: ScriptedActor(connectPace: pace)
        ) { book in
            Self.ask(book)
            pace.step()
            let server = book.servers[0]
            book.clientSends([UInt8](repeating: 0x61, count: 100 << 10))
            let isClientPaused = book.client.isReadingPaused
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            server.receive([UInt8](repeating: 0, count: 100 << 10), pieceByteCount: .max)
            return (isClientPaused, server.isReadingPaused)
        }
        #expect(client)
        #expect(server)
    }

    @Test func `an exchange uses the throttle of its client connection`() throws {
        let pace = ScriptedPace()
        let actor = ScriptedActor(connectPace: pace)
        let isSame = try Playbook.play(actor: actor) { book in
            book.clientSends("GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n")
            return actor.paceOfExchange === pace
        }
        #expect(isSame)
    }
}
