import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Answers that the proxy or an actor makes for a client of HTTP/2: what is recorded is what went
/// out on the stream.
struct HTTP2OwnAnswerTests {
    private struct Outcome: Sendable {
        var client: [String]
        var fields: [String]
        var rows: [RecordingSink.Recorded]

        init(_ scene: HTTP2Scene) {
            client = scene.client.got()
            fields = scene.client.responseFields
            rows = scene.book.sink.rows
        }
    }

    private typealias Step = HTTP2Scene.Step

    private static func connect(_ authority: String) -> Step {
        { scene in
            let head = RequestHead(
                method: .connect, target: Array(authority.utf8), version: .http2,
                fields: HeaderFields())
            let url = RawURL(scheme: "http", host: "h", port: 80, origin: Array("/".utf8))
            _ = scene.client.machine.send(
                ForwardedRequest(head: head, url: url, body: .chunked))
        }
    }

    private static let fails: Step = { $0.book.connectFails(.connectionRefused, "refused") }

    /// What leads to an answer of our own, and its status.
    private static let answers: [(name: String, status: Int, steps: [Step])] = [
        ("a head that is none", 400, [{ $0.client.request(.get, "/a b") }]),
        ("a server that is not reached", 502, [{ $0.client.request() }, fails]),
        ("a CONNECT to a port that is not allowed", 403, [connect("h:25")]),
        ("a CONNECT to a server that is not reached", 502, [connect("h:443"), fails]),
        (
            "a last recipient", 200,
            [{ $0.client.request(.options, "/", [(name: "max-forwards", value: "0")]) }]
        ),
    ]

    private static func play(
        _ steps: [Step], actor: ScriptedActor? = nil
    ) throws -> Outcome {
        var configuration = EngineConfiguration()
        configuration.isConnectPortAllowed = { $0 != 25 }
        return try HTTP2Scene.play(
            configuration: configuration, actor: actor, steps, end: Outcome.init)
    }

    /// The head that was recorded is the one that the client got.
    private static func check(_ outcome: Outcome, _ status: Int, _ name: String) throws {
        #expect(outcome.client.first == "1 \(status)", "\(name)")
        let bytes = try #require(outcome.rows.first?.responseHead, "\(name)")
        #expect(bytes.starts(with: ":status: \(status)\r\n".utf8), "\(name)")
        let head = try HeadParser.parseResponseHead(bytes, limits: WireLimits())
        #expect(head.version == .http2 && head.status == status, "\(name)")
        #expect(head.fields.pairs.map { "\($0.name): \($0.value)" } == outcome.fields, "\(name)")
        #expect(head.fields["connection"] == nil, "\(name)")
    }

    @Test(arguments: answers.indices)
    func `an answer of our own is recorded as it went out on the stream`(index: Int) throws {
        let (name, status, steps) = Self.answers[index]
        let outcome = try Self.play(steps)
        try Self.check(outcome, status, name)
        let body = outcome.client.dropFirst().first { !$0.hasSuffix(" end") }
        #expect(body == "1 " + ASCII.text(outcome.rows[0].responseBody), "\(name)")
    }

    @Test func `an answer to HEAD is recorded without a body`() throws {
        let outcome = try Self.play([{ $0.client.request(.head) }, Self.fails])
        try Self.check(outcome, 502, "HEAD")
        #expect(outcome.client == ["1 502", "1 end"])
        #expect(outcome.rows[0].responseByteCount == 0)
        #expect(outcome.fields.contains { $0.hasPrefix("content-length: ") })
    }

    private static let mine = ExchangeAnswer(
        head: ResponseHead(
            status: 203, reason: "Mine",
            fields: HeaderFields([
                (name: "A", value: "b"), (name: "Connection", value: "X"),
                (name: "X", value: "1"),
            ])),
        body: Array("mine".utf8))

    @Test func `an actor's answer is recorded as it went out on the stream`() throws {
        let outcome = try Self.play(
            [
                { $0.client.request() },
                { $0.book.actor?.requestHeads.first?.1.make(.answer(Self.mine)) },
            ], actor: ScriptedActor([.requestHead]))
        try Self.check(outcome, 203, "a request")
        #expect(outcome.fields == ["a: b", "content-length: 4"])
        let refused = try Self.play(
            [
                Self.connect("h:443"),
                { $0.book.actor?.connections.first?.1.make(.answer(Self.mine)) },
            ], actor: ScriptedActor([.connect]))
        #expect(refused.client.first == "1 203")
    }

    @Test func `an actor's answer beside a response that came is recorded as it was sent`() throws {
        let outcome = try Self.play(
            [
                { $0.client.request() }, { $0.connects() }, { $0.server.respond(1, 204) },
                { $0.book.actor?.responseHeads.first?.1.make(.answer(Self.mine)) },
            ], actor: ScriptedActor([.responseHead]))
        #expect(outcome.client.first == "1 203")
        #expect(outcome.rows[0].status == 204)
        #expect(
            outcome.rows[0].responseHeadSent
                == Array(":status: 203\r\na: b\r\ncontent-length: 4\r\n\r\n".utf8))
    }
}
