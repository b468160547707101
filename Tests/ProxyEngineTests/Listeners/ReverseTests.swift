import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTransport
import Testing

@testable import ProxydProxyEngine

/// Clients of a reverse listener without TLS.
struct ReverseTests {
    /// A listener in front of `http://origin.test:81`.
    static func mode(
        prefix: String = "", host: ReverseService.HostField = .change, rewritesBack: Bool = true,
        rewritesRequests: Bool? = nil, scheme: String = "http"
    ) -> ListenerMode {
        .reverse(
            ReverseService(
                server: ReplacedServer(
                    scheme: scheme, host: "origin.test", port: 81, prefix: prefix,
                    names: ["127.0.0.1", "localhost"]),
                hostField: host, rewritesBack: rewritesBack, rewritesRequests: rewritesRequests))
    }

    private func exchange(
        _ request: String, answer: String = Playbook.noContent, _ mode: ListenerMode = mode()
    ) throws -> WireOutcome {
        try Playbook.play(at: ServedListener(name: "r", mode: mode)) { book in
            book.requests(request)
            if book.connector.isWaitedFor { book.connects() }
            book.answers(answer)
            return book.outcome
        }
    }

    private static let get = "GET /a?b HTTP/1.1\r\nHost: front.test:8080\r\n\r\n"

    // MARK: Requests

    @Test(arguments: [
        (ReverseService.HostField.change, "origin.test:81"), (.keep, "front.test:8080"),
        (.name("other.test"), "other.test"),
    ])
    func `a reverse listener can send the server's Host, the client's Host or a configured one`(
        host: ReverseService.HostField, value: String
    ) throws {
        let outcome = try exchange(Self.get, Self.mode(host: host))
        #expect(outcome.server == "GET /a?b HTTP/1.1\r\nHost: \(value)\r\n\r\n")
        let row = try #require(outcome.rows.first)
        #expect(row.url == "http://origin.test:81/a?b")
        #expect(row.requestHead.map(WireOutcome.text) == Self.get)
        #expect((row.requestHeadSent == nil) == (host == .keep))
        #expect(row.state == .complete)
    }

    @Test func `a reverse listener adds a Host to a request without one`() throws {
        let request = "GET / HTTP/1.0\r\n\r\n"
        for host in [ReverseService.HostField.change, .name("other.test"), .keep] {
            let outcome = try exchange(request, Self.mode(host: host))
            let expected =
                switch host {
                case .change, .keep: "Host: origin.test:81"
                case .name: "Host: other.test"
                }
            #expect(outcome.server.contains(expected + "\r\n"), "\(outcome.server)")
        }
    }

    @Test(arguments: [
        ("/a", "/base/a"), ("/", "/base/"), ("/?q", "/base/?q"), ("//x", "/base//x"),
        ("/../a", "/base/../a"),
    ])
    func `a reverse listener adds its path prefix to the request target`(path: String, sent: String)
        throws
    {
        let outcome = try exchange(
            "GET \(path) HTTP/1.1\r\nHost: us\r\n\r\n", Self.mode(prefix: "/base"))
        #expect(outcome.server == "GET \(sent) HTTP/1.1\r\nHost: origin.test:81\r\n\r\n")
        #expect(outcome.rows.map(\.url) == ["http://origin.test:81\(sent)"])
        #expect(outcome.rows.first?.requestHeadSent != nil)
    }

    @Test func `a reverse listener adds no path prefix to OPTIONS *`() throws {
        let outcome = try exchange(
            "OPTIONS * HTTP/1.1\r\nHost: us\r\n\r\n", Self.mode(prefix: "/base"))
        #expect(outcome.server == "OPTIONS * HTTP/1.1\r\nHost: origin.test:81\r\n\r\n")
    }

    @Test(arguments: [
        "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
        "GET https://other.test:81/ HTTP/1.1\r\nHost: origin.test\r\n\r\n",
        "CONNECT origin.test:81 HTTP/1.1\r\nHost: origin.test:81\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ])
    func `a reverse listener rejects CONNECT, foreign absolute targets and bad Hosts with 400`(
        request: String
    ) throws {
        let outcome = try exchange(request)
        #expect(outcome.isRefused(400), "\(outcome.client)")
        #expect(outcome.rows.map(\.status) == [400])
        #expect(outcome.rows.map(\.state) == [.failed])
    }

    @Test(arguments: ["origin.test", "ORIGIN.test:7", "127.0.0.1:8080", "localhost"])
    func `a reverse listener accepts an absolute target that names the listener or its server`(
        host: String
    ) throws {
        let outcome = try exchange("GET http://\(host)/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(outcome.server == "GET /a HTTP/1.1\r\nHost: origin.test:81\r\n\r\n")
    }

    @Test func `a reverse listener forwards requests for the proxy's own host name to its server`()
        throws
    {
        let outcome = try exchange("GET / HTTP/1.1\r\nHost: proxyd.local\r\n\r\n")
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: origin.test:81\r\n\r\n")
    }

    @Test func `a reverse listener forwards the client's Authorization field`() throws {
        let outcome = try exchange(
            "GET / HTTP/1.1\r\nHost: us\r\nAuthorization: Basic YTpi\r\n\r\n")
        #expect(outcome.server.contains("\r\nAuthorization: Basic YTpi\r\n"))
    }

    // MARK: References in requests

    private static let copy =
        "COPY /a HTTP/1.1\r\nHost: Front.test:8080\r\n"
        + "Destination: http://front.test:8080/b\r\n"
        + "If: <http://front.test:8080/b> (<urn:uuid:1>)\r\n"
        + "Origin: http://front.test:8080\r\nReferer: http://front.test:8080/p?q\r\n\r\n"

    /// What the server gets of `copy`, with these references.
    private func copied(host: String, to server: String, prefix: String = "") -> String {
        "COPY \(prefix)/a HTTP/1.1\r\nHost: \(host)\r\n"
            + "Destination: \(server)\(prefix)/b\r\n"
            + "If: <\(server)\(prefix)/b> (<urn:uuid:1>)\r\n"
            + "Origin: \(server)\r\nReferer: \(server)\(prefix)/p?q\r\n\r\n"
    }

    @Test(arguments: ["", "/base"])
    func `a reverse listener rewrites its own URLs in request fields and records both versions`(
        prefix: String
    ) throws {
        let outcome = try exchange(Self.copy, Self.mode(prefix: prefix))
        let expected = copied(
            host: "origin.test:81", to: "http://origin.test:81", prefix: prefix)
        #expect(outcome.server == expected)
        let row = try #require(outcome.rows.first)
        #expect(row.requestHead.map(WireOutcome.text) == Self.copy)
        #expect(row.requestHeadSent.map(WireOutcome.text) == expected)
    }

    @Test func `a reverse listener rewrites its own URLs in request fields to the configured Host`()
        throws
    {
        let outcome = try exchange(Self.copy, Self.mode(host: .name("other.test:82")))
        #expect(outcome.server == copied(host: "other.test:82", to: "http://other.test:82"))
    }

    @Test
    func `a reverse listener that keeps the client's Host does not rewrite URLs in request fields`()
        throws
    {
        let outcome = try exchange(Self.copy, Self.mode(host: .keep))
        #expect(outcome.server == Self.copy)
        #expect(outcome.rows.first?.requestHeadSent == nil)
    }

    @Test
    func `a reverse listener can rewrite URLs in request fields independently of its Host setting`()
        throws
    {
        let host = ReverseService.HostField.name("Front.test:8080")
        let off = try exchange(Self.copy, Self.mode(host: host, rewritesRequests: false))
        #expect(off.server == Self.copy)
        let on = try exchange(Self.copy, Self.mode(host: .keep, rewritesRequests: true))
        #expect(on.server == copied(host: "Front.test:8080", to: "http://origin.test:81"))
        #expect(on.rows.first?.requestHeadSent.map(WireOutcome.text) == on.server)
    }

    @Test(arguments: [
        "Origin: null", "Origin: http://evil.test", "Origin: https://front.test:8080",
        "Origin: http://front.test", "Referer: http://evil.test/?http://front.test:8080/",
        "Destination: http://front.test:8080@evil.test/", "If: (<http://front.test:8080/b>)",
    ])
    func `a reverse listener forwards URLs of other origins in request fields unchanged`(
        line: String
    ) throws {
        let outcome = try exchange("GET / HTTP/1.1\r\nHost: front.test:8080\r\n\(line)\r\n\r\n")
        #expect(
            outcome.server == "GET / HTTP/1.1\r\nHost: origin.test:81\r\n\(line)\r\n\r\n")
    }

    // MARK: Responses

    private static let moved =
        "HTTP/1.1 302 Found\r\nLocation: http://origin.test:81/base/x\r\n"
        + "Set-Cookie: a=b; Domain=origin.test; Path=/base\r\nContent-Length: 0\r\n\r\n"

    @Test
    func `a reverse listener rewrites server URLs in response fields, and records both versions`()
        throws
    {
        let outcome = try exchange(Self.get, answer: Self.moved, Self.mode(prefix: "/base"))
        let expected =
            "HTTP/1.1 302 Found\r\nLocation: http://front.test:8080/x\r\n"
            + "Set-Cookie: a=b; Domain=front.test; Path=/\r\nContent-Length: 0\r\n\r\n"
        #expect(outcome.client == expected)
        let row = try #require(outcome.rows.first)
        #expect(row.responseHead.map(WireOutcome.text) == Self.moved)
        #expect(row.responseHeadSent.map(WireOutcome.text) == expected)
    }

    @Test func `a response to HEAD rewritten by a reverse listener is recorded as it was sent`()
        throws
    {
        let answer =
            "HTTP/1.1 302 Found\r\nLocation: http://origin.test:81/x\r\n"
            + "Content-Length: 12345\r\n\r\n"
        let outcome = try exchange(Self.get.replacing("GET", with: "HEAD"), answer: answer)
        #expect(
            outcome.client
                == "HTTP/1.1 302 Found\r\nLocation: http://front.test:8080/x\r\n"
                + "Content-Length: 12345\r\n\r\n")
        #expect(outcome.rows.first?.responseHeadSent.map(WireOutcome.text) == outcome.client)
    }

    @Test func `a reverse listener without response rewriting forwards responses unchanged`() throws
    {
        let outcome = try exchange(
            Self.get, answer: Self.moved, Self.mode(prefix: "/base", rewritesBack: false))
        #expect(outcome.client == Self.moved)
        #expect(outcome.rows.first?.responseHeadSent == nil)
    }

    @Test
    func `if a request has no Host, URLs in response fields get the reverse listener's address`()
        throws
    {
        let outcome = try exchange("GET / HTTP/1.0\r\n\r\n", answer: Self.moved)
        #expect(outcome.client.contains("Location: http://127.0.0.1:8080/base/x\r\n"))
    }

    @Test
    func `a reverse listener reuses a server connection that has carried interim responses`()
        throws
    {
        let (client, servers) = try Playbook.play(
            at: ServedListener(name: "r", mode: Self.mode())
        ) { book in
            for _ in 0..<2 {
                book.requests(Self.get)
                if book.connector.isWaitedFor { book.connects() }
                book.answers(
                    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + Playbook.noContent)
            }
            return (WireOutcome.text(book.client.written), book.servers.count)
        }
        #expect(client.ranges(of: "204 No Content").count == 2)
        #expect(servers == 1)
    }

    @Test func `a reverse listener answers 502 if its server cannot be reached`() throws {
        let (client, rows) = try Playbook.play(
            at: ServedListener(name: "r", mode: Self.mode())
        ) { book in
            book.requests(Self.get)
            book.connectFails(.connectionRefused, "refused")
            return (WireOutcome.text(book.client.written), book.sink.rows)
        }
        #expect(client.hasPrefix("HTTP/1.1 502 "))
        #expect(rows.map(\.failure?.kind) == [.connectionRefused])
    }

    // MARK: Extended CONNECT

    /// What a client of HTTP/2 has got after steps.
    private struct Offer: Sendable {
        /// Whether there are settings, and whether the first ones offer extended CONNECT.
        let hasSettings: Bool
        let isFirst: Bool
        /// Whether any settings do.
        let isOffered: Bool
        let serverCount: Int
        let got: [String]

        init(_ scene: HTTP2Scene) {
            let written = scene.book.client.written
            hasSettings = scene.client.machine.hasPeerSettings
            let payload = written.dropFirst(9).prefix(Int(written.dropFirst(2).first ?? 0))
            let settings = stride(from: payload.startIndex, to: payload.endIndex, by: 6)
            isFirst = settings.contains { Array(payload[$0...].prefix(6)) == [0, 8, 0, 0, 0, 1] }
            isOffered = scene.client.isOfferedExtendedConnect
            serverCount = scene.book.servers.count
            got = scene.client.got()
        }
    }

    private func offer(
        scheme: String = "http", _ steps: [HTTP2Scene.Step]
    ) throws -> Offer {
        try HTTP2Scene.play(
            at: ServedListener(name: "r", mode: Self.mode(scheme: scheme)), steps, end: Offer.init)
    }

    @Test
    func `a reverse listener offers extended CONNECT in its first SETTINGS if the server does`()
        throws
    {
        let unanswered = try offer([])
        #expect(!unanswered.hasSettings && unanswered.serverCount == 0)
        let offered = try offer([{ $0.connects(takingExtendedConnect: true) }])
        #expect(offered.hasSettings && offered.isFirst && offered.isOffered)
        let other = try offer([{ $0.connects() }])
        #expect(other.hasSettings && !other.isOffered)
    }

    @Test func `an extended CONNECT as the first request to a reverse listener is forwarded`()
        throws
    {
        let outcome = try offer([
            { $0.connects(takingExtendedConnect: true) }, { $0.client.connect("x-bytes") },
            { $0.server.respond(1, 200, body: .untilClose) },
        ])
        #expect(outcome.got == ["1 200"])
        #expect(outcome.serverCount == 1)
    }

    @Test func `a reverse listener offers extended CONNECT if its server speaks HTTP/1 over TLS`()
        throws
    {
        let outcome = try offer(
            scheme: "https",
            [
                { $0.book.connects() }, { $0.client.request() },
                { $0.book.answers(Playbook.noContent) },
            ])
        #expect(outcome.isFirst)
        #expect(outcome.got.first == "1 204")
        #expect(outcome.serverCount == 1, "the request uses the connection that was made")
    }

    @Test
    func `a reverse listener does not offer extended CONNECT if its server cannot be reached`()
        throws
    {
        let outcome = try offer([{ $0.book.connectFails(.connectionRefused, "refused") }])
        #expect(outcome.hasSettings && !outcome.isOffered)
    }

    @Test
    func `a reverse listener sends SETTINGS after 1 second even if its server is not yet reached`()
        throws
    {
        let late = try offer([{ $0.book.passes(milliseconds: 900) }])
        #expect(!late.hasSettings)
        let silent = try offer([{ $0.book.passes(milliseconds: 1_100) }])
        #expect(silent.hasSettings && !silent.isOffered)
        let offered = try offer([
            { $0.book.passes(milliseconds: 1_100) }, { $0.connects(takingExtendedConnect: true) },
        ])
        #expect(offered.isOffered && !offered.isFirst)
    }

    @Test func `a request to a reverse listener does not wait for delayed SETTINGS`() throws {
        let outcome = try offer([
            { $0.client.request() }, { $0.connects() }, { $0.server.respond(1, 204) },
        ])
        #expect(outcome.got.first == "1 204")
        #expect(outcome.serverCount == 1)
    }

    // MARK: HTTP/2 and TLS

    @Test func `a reverse listener forwards HTTP/2 with prior knowledge as HTTP/2`() throws {
        let (target, server, client, rows) = try HTTP2Scene.play(
            at: ServedListener(name: "r", mode: Self.mode(prefix: "/base")),
            [
                { $0.client.request(.get, "/a") }, { $0.connects() },
                {
                    $0.server.respond(
                        1, 302,
                        [(name: "location", value: "http://origin.test:81/base/x")])
                },
            ]
        ) { scene in
            (
                scene.book.connector.targets.first.map { "\($0.host):\($0.port)" },
                scene.server.got(), scene.client.responseFields, scene.book.sink.rows
            )
        }
        #expect(target == "origin.test:81")
        #expect(server.first == "1 GET /base/a")
        #expect(client.contains("location: http://h/x"))
        #expect(rows.map(\.url) == ["http://origin.test:81/base/a"])
        #expect(rows.first?.responseHeadSent != nil)
    }

    @Test func `a reverse listener rewrites URLs in the fields of HTTP/2 requests`() throws {
        let fields = try HTTP2Scene.play(
            at: ServedListener(name: "r", mode: Self.mode()),
            [
                {
                    $0.client.request(
                        .post, "/a",
                        [
                            (name: "origin", value: "http://h"),
                            (name: "referer", value: "http://h:80/p"),
                        ]
                    )
                }, { $0.connects() }, { _ in },
            ]
        ) { $0.server.requestFields }
        #expect(fields.contains("origin: http://origin.test:81"), "\(fields)")
        #expect(fields.contains("referer: http://origin.test:81/p"), "\(fields)")
    }

    @Test func `a reverse listener verifies its server's certificate against the server's name`()
        throws
    {
        let did = try Playbook.play(
            at: ServedListener(name: "r", mode: Self.mode(scheme: "https"))
        ) { book in
            book.requests(Self.get)
            return book.did()
        }
        #expect(did == ["connect origin.test:81 tls origin.test"])
    }
}
