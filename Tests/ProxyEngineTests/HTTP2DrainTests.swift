import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// The proxy stops while streams are open: what runs is served to its end.
struct HTTP2DrainTests {
    private struct Outcome: Sendable {
        var client: [String] = []
        var isClosed = false
        var count = 0

        init(_ scene: HTTP2Scene) {
            client = scene.client.got().filter { !$0.hasPrefix("goaway") }
            isClosed = scene.book.client.ending == .closed
            count = scene.book.proxy.clients.count
        }
    }

    private static let stop: HTTP2Scene.Step = { $0.book.proxy.clients.drainAll() }

    @Test func `a stopping proxy still delivers an HTTP/2 response that is in progress completely`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            [
                { $0.client.request() }, { $0.connects() },
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "abc", on: 1)
                },
                Self.stop,
                {
                    $0.server.send(body: "def", on: 1)
                    $0.server.end(1)
                },
            ], end: Outcome.init)
        #expect(outcome.client == ["1 200", "1 abc", "1 def", "1 end"])
        #expect(outcome.isClosed && outcome.count == 0)
    }

    @Test(arguments: [true, false])
    func `a stopping proxy waits for HTTP/2 responses that are blocked by flow control`(
        isRead: Bool
    ) throws {
        let body = String(repeating: "a", count: 300_000)
        let outcome = try HTTP2Scene.play(
            [
                { scene in
                    guard let id = scene.client.request() else { return }
                    scene.client.machine.setReceivingPaused(id, true)
                },
                { $0.connects() },
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: body, on: 1)
                    $0.server.end(1)
                },
                { _ in }, { _ in }, Self.stop,
                {
                    if isRead {
                        $0.client.machine.setReceivingPaused(StreamID(rawValue: 1), false)
                    }
                },
                { _ in },
            ], end: Outcome.init)
        let received = outcome.client.filter { $0.hasPrefix("1 a") }.map { $0.count - 2 }
        #expect(received.reduce(0, +) == (isRead ? 300_000 : 256 << 10))
        #expect((outcome.client.last == "1 end") == isRead)
        #expect(outcome.isClosed == isRead && (outcome.count == 0) == isRead)
    }

    @Test
    func `an unfinished HTTP/2 request for the proxy's own page is ended when the proxy stops`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.ownHostNames = ["h"]
        let outcome = try HTTP2Scene.play(
            configuration: configuration,
            [
                { $0.client.request(.post, "/", body: .chunked) },
                Self.stop,
                { $0.book.proxy.clients.terminateAll() },
            ], end: Outcome.init)
        #expect(outcome.isClosed && outcome.count == 0)
    }
}
