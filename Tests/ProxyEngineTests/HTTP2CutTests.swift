import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Connections of HTTP/2 that end at every byte: no cut message is taken for a whole one, and what
/// came is recorded with the reason.
struct HTTP2CutTests {
    private struct Outcome: Sendable {
        var client: [String] = []
        var servers: [[String]] = []
        var sentByteCount = 0
        var rows: [RecordingSink.Recorded] = []

        init(server scene: HTTP2Scene) {
            self.init(scene, sentByteCount: scene.servers.first?.sentByteCount ?? 0)
        }

        init(client scene: HTTP2Scene) {
            self.init(scene, sentByteCount: scene.client.sentByteCount)
        }

        private init(_ scene: HTTP2Scene, sentByteCount: Int) {
            client = scene.client.got()
            servers = scene.servers.map { $0.got() }
            rows = scene.book.sink.rows
            self.sentByteCount = sentByteCount
        }
    }

    private func servedUpTo(_ byteCount: Int?) throws -> Outcome {
        try HTTP2Scene.play(
            [
                { $0.client.request() },
                {
                    $0.connects()
                    $0.server.byteCountLeft = byteCount
                },
                {
                    $0.server.respond(1, body: .chunked)
                    $0.server.send(body: "abcdefghij", on: 1)
                    $0.server.end(1)
                },
            ], end: Outcome.init(server:))
    }

    @Test func `an HTTP/2 response cut at any byte is never taken for a complete response`() throws
    {
        let whole = try servedUpTo(nil)
        #expect(whole.client == ["1 200", "1 abcdefghij", "1 end"])
        // What is sent behind the end of the response is no part of it.
        var shortest = Int.max
        for count in 0..<whole.sentByteCount {
            let outcome = try servedUpTo(count)
            let isWhole = outcome.client.contains("1 end") && outcome.client.contains("1 200")
            if isWhole, outcome.rows.first?.state == .complete { shortest = min(shortest, count) }
            #expect(!isWhole || outcome.client == whole.client || outcome.rows[0].status == 502)
            #expect(outcome.rows.count == 1, "cut after \(count)")
            #expect(outcome.rows.first?.state != .active, "cut after \(count)")
            #expect((outcome.rows.first?.failure != nil) == (count < shortest), "\(count)")
        }
        #expect(shortest > 30)
    }

    @Test
    func `an HTTP/2 request cut at any byte is recorded as failed and never forwarded as complete`()
        throws
    {
        func play(_ byteCount: Int?) throws -> Outcome {
            try HTTP2Scene.play(
                [
                    {
                        $0.client.byteCountLeft = byteCount
                        $0.client.request(.post, "/", body: .chunked)
                        $0.client.send(body: "abcdefghij", on: 1)
                        $0.client.end(1)
                    },
                    { if $0.book.connector.isWaitedFor { $0.connects() } },
                ], end: Outcome.init(client:))
        }
        let whole = try play(nil)
        #expect(whole.servers == [["1 POST /", "1 abcdefghij", "1 end"]])
        for count in 0..<whole.sentByteCount {
            let outcome = try play(count)
            let isWhole = outcome.servers.contains { $0.contains("1 end") }
            #expect(!isWhole || outcome.servers == whole.servers, "cut after \(count)")
            #expect(outcome.rows.allSatisfy { $0.state == .failed }, "cut after \(count)")
        }
    }
}
