import ClientLib
import ProxydClientTestSupport
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// What leads to the opening of a WebSocket, and what does not.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketOpeningTests {
    private typealias Manner = WebSocketTestServer.Manner

    private func failure(
        _ manner: WebSocketTestServer.Manner, protocols: [String] = [],
        _ configure: (WebSocketRequest) -> Void = { _ in }
    ) async throws -> WebSocketRequest.Completion {
        let server = try WebSocketTestServer(manner)
        let socket = Session.default.webSocketRequest(server.url, protocols: protocols)
        configure(socket)
        var last: WebSocketRequest.Completion?
        for await event in socket.events {
            if case .connected = event.kind { Issue.record("it was opened") }
            last = event.completion ?? last
        }
        return try #require(last)
    }

    private func answer(_ text: String) -> Manner {
        Manner(answer: { _ in Array(text.utf8) })
    }

    @Test func `a rejected WebSocket handshake is reported with its status and body`() async throws
    {
        let end = try await failure(
            answer("HTTP/1.1 403 No\r\nContent-Length: 7\r\n\r\nno room"))
        #expect(end.error?.kind == .webSocketFailed(.notUpgraded(status: 403)))
        #expect(end.response?.status == 403)
        #expect(end.data == Array("no room".utf8))
    }

    @Test func `a WebSocket handshake with a wrong Sec-WebSocket-Accept is rejected`() async throws
    {
        let end = try await failure(
            answer(
                "HTTP/1.1 101 Ok\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"))
        let kind = ClientError.Kind.webSocketFailed(
            .badHandshake(field: "Sec-WebSocket-Accept"))
        #expect(end.error?.kind == kind)
    }

    @Test func `a WebSocket handshake without one of its required header fields is rejected`()
        async throws
    {
        let lines = [
            "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Accept": "",
        ]
        for missing in lines.keys {
            let end = try await failure(
                Manner(answer: { head in
                    var text = "HTTP/1.1 101 Ok\r\n"
                    for (name, value) in lines where name != missing {
                        let isProof = name == "Sec-WebSocket-Accept"
                        let proof = WebSocketTestServer.proof(of: head)
                        text += "\(name): \(isProof ? proof : value)\r\n"
                    }
                    return Array((text + "\r\n").utf8)
                }))
            let kind = ClientError.Kind.webSocketFailed(.badHandshake(field: missing))
            #expect(end.error?.kind == kind)
        }
    }

    @Test func `a WebSocket subprotocol or extension that was not offered is rejected`()
        async throws
    {
        for (name, value) in [
            ("Sec-WebSocket-Protocol", "v3"), ("Sec-WebSocket-Extensions", "x-other"),
            ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits=16"),
        ] {
            let end = try await failure(
                Manner(fields: { _ in [(name, value)] }), protocols: ["v1"])
            #expect(
                end.error?.kind == .webSocketFailed(.badHandshake(field: name)), "\(value)")
        }
    }

    @Test
    func `a validator can reject a WebSocket handshake before the WebSocket is reported as open`()
        async throws
    {
        struct Unwanted: Error {}
        let end = try await failure(Manner(first: [.text("x")])) { socket in
            socket.validate().validate { _, head in
                if head.fields["Server"] == nil { throw Unwanted() }
            }
        }
        #expect(end.error?.kind == .responseValidationFailed(.custom))
        #expect(end.error?.underlying is Unwanted)
    }

    @Test func `adapters, retriers and redirects apply to a WebSocket handshake`() async throws {
        let target = try WebSocketTestServer()
        let server = try ScriptedServer { received in
            if received.number == 1 { return ScriptedServer.response(503) }
            return ScriptedServer.response(
                302, headers: [("Location", target.url + "/moved")])
        }
        let interceptor = Interceptor(
            adapters: [
                Adapter { request, _ in
                    var request = request
                    request.fields.set(name: "X-Token", value: "t")
                    return request
                }
            ],
            retriers: [
                Retrier { _, _, error in
                    error.kind == .webSocketFailed(.notUpgraded(status: 503))
                        ? .retry : .doNotRetry
                }
            ])
        let socket = Session.default.webSocketRequest(
            server.url.replacing("http:", with: "ws:"), interceptor: interceptor)
        try await socket.send("hello")
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("hello"))
        #expect(socket.retryCount == 1)
        #expect(socket.exchanges.map(\.response?.status) == [503, 302])
        #expect(target.heads.first?.targetText == "/moved")
        #expect(target.heads.first?.fields["X-Token"] == "t")
        socket.cancel()
    }

    @Test func `an authentication challenge to a WebSocket handshake is answered`() async throws {
        let server = try WebSocketTestServer(
            Manner(answer: { head in
                guard head.fields["Authorization"] == nil else { return nil }
                let text =
                    "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"r\"\r\n"
                    + "Content-Length: 0\r\n\r\n"
                return Array(text.utf8)
            }))
        let socket = Session.default.webSocketRequest(server.url)
            .authenticate(username: "me", password: "secret")
        try await socket.opened()
        #expect(server.heads.count == 2)
        socket.cancel()
    }

    @Test func `a WebSocket that fails after it was opened is not retried`() async throws {
        let server = try WebSocketTestServer(Manner(first: [.text("a"), .reset]))
        let retrier = Interceptor(retriers: [Retrier { _, _, _ in .retry }])
        let socket = Session.default.webSocketRequest(server.url, interceptor: retrier)
        var seen: [WebSocketRequest.Message] = []
        let error = await #expect(throws: ClientError.self) {
            for try await message in socket.messages { seen.append(message) }
        }
        #expect(error != nil)
        #expect(socket.retryCount == 0)
        #expect(server.heads.count == 1)
    }

    @Test(arguments: ["http", "socks5"])
    func `a WebSocket is opened through an HTTP or SOCKS proxy`(kind: String) async throws {
        let server = try WebSocketTestServer()
        let proxy = try TestProxy(kind == "http" ? .http() : .socks())
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(
            try ProxyServer("\(kind)://127.0.0.1:\(proxy.port)"))
        let session = Session(configuration: configuration)
        defer { session.shutdown() }
        let socket = session.webSocketRequest(server.url + "/a")
        try await socket.send("through")
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("through"))
        #expect(proxy.asked.count == 1)
        #expect(server.heads.first?.targetText == "/a")
    }

    @Test func `a WebSocket with a wss URL uses TLS`() async throws {
        let authority = try TestAuthority()
        let server = try WebSocketTestServer(tls: authority.context(authority.leaf()))
        let session = Session(configuration: authority.configuration)
        defer { session.shutdown() }
        let socket = session.webSocketRequest("wss://127.0.0.1:\(server.port)/")
        try await socket.send("private")
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("private"))
    }

    @Test func `a WebSocket URL may have the scheme http, but a scheme such as ftp is rejected`()
        async throws
    {
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest("http://127.0.0.1:\(server.port)")
        try await socket.opened()
        socket.cancel()
        let error = await #expect(throws: ClientError.self) {
            try await Session.default.webSocketRequest("ftp://127.0.0.1/").opened()
        }
        #expect(error?.kind == .invalidURL(.unsupportedScheme))
    }
}
