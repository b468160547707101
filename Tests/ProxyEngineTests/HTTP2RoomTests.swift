import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Servers that take few streams, or none for now.
struct HTTP2RoomTests {
    private struct Outcome: Sendable {
        var client: [String] = []
        var servers: [[String]] = []

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            servers = scene.servers.map { $0.got().filter { !$0.hasPrefix("goaway") } }
        }
    }

    private static let request: HTTP2Scene.Step = { $0.client.request() }

    @Test
    func `concurrent requests to a server that allows one HTTP/2 stream get a connection each`()
        throws
    {
        let connects: HTTP2Scene.Step = { $0.connects(streamCountMax: 1) }
        let outcome = try HTTP2Scene.play(
            [
                {
                    for _ in 0..<3 { $0.client.request() }
                },
                // What it takes is not known yet: it refuses two of the three.
                connects, connects, connects,
                {
                    for server in $0.servers { server.respond(1, 204) }
                },
            ], end: Outcome.init)
        #expect(
            outcome.client.sorted() == ["1 204", "1 end", "3 204", "3 end", "5 204", "5 end"])
        #expect(outcome.servers == Array(repeating: ["1 GET /", "1 end"], count: 3))
    }

    @Test func `a request waits while its HTTP/2 server allows no streams`() throws {
        let outcome = try HTTP2Scene.play(
            [
                Self.request, { $0.connects() },
                {
                    $0.server.announce(streamCountMax: 0)
                    $0.server.respond(1, 204)
                },
                // What is given up meanwhile is not begun.
                Self.request, { $0.client.reset(3, .cancel) },
                { $0.client.request(.get, "/late") },
                { $0.server.announce(streamCountMax: 9) }, { $0.server.respond(3, 204) },
            ], end: Outcome.init)
        #expect(outcome.servers == [["1 GET /", "1 end", "3 GET /late", "3 end"]])
        #expect(outcome.client == ["1 204", "1 end", "5 204", "5 end"])
    }

    @Test
    func `a request waiting for a free stream moves to another connection on GOAWAY or close`()
        throws
    {
        for isLost in [false, true] {
            let outcome = try HTTP2Scene.play(
                [
                    Self.request, { $0.connects() },
                    {
                        $0.server.announce(streamCountMax: 0)
                        $0.server.respond(1, 204)
                    },
                    { scene in
                        scene.client.request(.post, "/late", body: .chunked)
                        scene.client.send(body: "abc", on: 3)
                        scene.client.end(3)
                    },
                    { if isLost { $0.book.serverEnds() } else { $0.server.refuseAll() } },
                    { $0.connects() }, { $0.server.respond(1, 204) },
                ], end: Outcome.init)
            #expect(outcome.client == ["1 204", "1 end", "3 204", "3 end"])
            #expect(outcome.servers[0] == ["1 GET /", "1 end"])
            #expect(outcome.servers[1] == ["1 POST /late", "1 abc", "1 end"])
        }
    }

    @Test
    func `if GOAWAY refuses a request whose body was already sent, the client gets REFUSED_STREAM`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request(.post, "/", body: .chunked) }, { $0.connects() },
                { $0.client.send(body: "abc", on: 1) }, { $0.server.refuseAll() },
            ], end: Outcome.init)
        #expect(outcome.servers == [["1 POST /", "1 abc"]])
        #expect(outcome.client == ["1 unprocessed REFUSED_STREAM"])
    }
}
