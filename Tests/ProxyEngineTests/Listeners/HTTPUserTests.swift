import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@testable import ProxydProxyEngine

/// Requests at a listener with users.
struct HTTPUserTests {
    private static let listener = ServedListener(name: Playbook.socks.name, mode: .proxy)
    /// alice:se:cret
    private static let token = "YWxpY2U6c2U6Y3JldA=="
    private static let credentials = "Proxy-Authorization: Basic \(token)\r\n"

    private static func request(
        _ start: String = "GET http://h/a HTTP/1.1", _ fields: String = credentials,
        body: String = ""
    ) -> String {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return "\(start)\r\nHost: h\r\n\(fields)\(length)\r\n\(body)"
    }

    private struct Outcome: Sendable {
        let client: String
        let isClosed: Bool
        let servers: [String]
        let rows: [RecordingSink.Recorded]

        init(_ book: Playbook) {
            client = WireOutcome.text(book.client.written)
            isClosed = book.client.ending == .closed
            servers = book.servers.map { WireOutcome.text($0.written) }
            rows = book.sink.rows
        }

        /// Everything that was recorded as text.
        var recorded: String {
            rows.map { row in
                WireOutcome.text(
                    (row.requestHead ?? []) + (row.requestHeadSent ?? []) + (row.malformed ?? [])
                        + (row.responseHead ?? []) + row.responseBody)
                    + (row.failure?.message ?? "") + (row.url ?? "")
            }.joined()
        }
    }

    private func play(
        _ authenticator: ScriptedAuthenticator, pieces: Int = .max,
        configuration: EngineConfiguration = EngineConfiguration(),
        _ script: @escaping @Sendable (Playbook) -> Void
    ) throws -> Outcome {
        try Playbook.play(
            pieceByteCount: pieces, configuration: configuration, at: Self.listener,
            authenticator: authenticator, script, then: { book, _ in Outcome(book) })
    }

    @Test(arguments: [1, .max])
    func `valid proxy credentials are not forwarded, and they are redacted in the record`(
        pieces: Int
    ) throws {
        let authenticator = ScriptedAuthenticator(.accepted)
        let outcome = try play(authenticator, pieces: pieces) { book in
            book.clientSends(Self.request(body: "hello"))
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 204 "))
        #expect(outcome.servers.first?.hasSuffix("hello") == true)
        #expect(outcome.servers.first?.lowercased().contains("proxy-auth") == false)
        #expect(outcome.rows.map(\.user) == ["alice"])
        #expect(outcome.rows.map(\.state) == [.complete])
        #expect(outcome.recorded.contains("Proxy-Authorization: REDACTED"))
        #expect(!outcome.recorded.contains(Self.token))
        let asked = ClientCredentials(
            user: Array("alice".utf8), password: Array("se:cret".utf8))
        #expect(authenticator.asked == [asked])
    }

    @Test func `a request without proxy credentials gets a 407 and keeps the connection open`()
        throws
    {
        let outcome = try play(ScriptedAuthenticator(.accepted)) { book in
            book.clientSends(Self.request("GET http://h/a HTTP/1.1", ""))
            book.clientSends(Self.request())
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 407 Proxy Authentication Required\r\n"))
        let challenge = "Proxy-Authenticate: Basic realm=\"proxyd\", charset=\"UTF-8\"\r\n"
        #expect(outcome.client.contains(challenge))
        #expect(outcome.client.contains("HTTP/1.1 204 "))
        #expect(!outcome.client.contains("Connection: close"))
        #expect(!outcome.isClosed)
        #expect(outcome.rows.map(\.user) == [nil, "alice"])
        #expect(outcome.rows.map(\.status) == [407, 204])
        #expect(outcome.rows.first?.failure?.kind == .refused)
        #expect(outcome.rows.first?.url == "http://h/a")
    }

    @Test(arguments: [CredentialVerdict.rejected, .tooMany])
    func `a request with a wrong proxy password gets a 407, and the password is not recorded`(
        verdict: CredentialVerdict
    ) throws {
        let outcome = try play(ScriptedAuthenticator(verdict)) { book in
            book.clientSends(Self.request())
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 407 "))
        #expect(outcome.servers.isEmpty)
        #expect(outcome.rows.map(\.user) == [nil])
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(!outcome.recorded.contains(Self.token))
    }

    @Test
    func `a 407 leaves the connection open only if the request body's length is known and short`()
        throws
    {
        let short = try play(ScriptedAuthenticator(.rejected), pieces: 7) { book in
            book.clientSends(
                Self.request("POST http://h/a HTTP/1.1", body: String(repeating: "x", count: 999)))
            book.clientSends(Self.request("GET http://h/b HTTP/1.1"))
        }
        #expect(short.rows.map(\.url) == ["http://h/a", "http://h/b"])
        #expect(short.rows.map(\.requestByteCount) == [999, 0])
        #expect(!short.isClosed)
        let heads = [
            "Content-Length: 70000\r\n", "Transfer-Encoding: chunked\r\n",
            "Content-Length: 5\r\nExpect: 100-continue\r\n",
        ]
        for fields in heads {
            let long = try play(ScriptedAuthenticator(.rejected)) { book in
                book.clientSends(
                    Self.request("POST http://h/a HTTP/1.1", Self.credentials + fields))
            }
            #expect(long.client.hasPrefix("HTTP/1.1 407 "), "\(fields)")
            #expect(long.client.contains("Connection: close\r\n"), "\(fields)")
            #expect(long.isClosed, "\(fields)")
        }
    }

    @Test func `a request with wrong credentials is recorded as failed if its body never arrives`()
        throws
    {
        let request = Self.request(
            "POST http://h/a HTTP/1.1", Self.credentials + "Content-Length: 5\r\n")
        let ends: [@Sendable (Playbook) -> Void] = [
            { $0.passes(seconds: 11) }, { $0.clientEnds() }, { $0.clientBreaks() },
            { $0.proxy.clients.terminateAll() },
        ]
        for end in ends {
            let outcome = try play(ScriptedAuthenticator(.rejected)) { book in
                book.clientSends(request + "ab")
                end(book)
            }
            #expect(outcome.rows.map(\.state) == [.failed])
            #expect(outcome.rows.map(\.user) == [nil])
        }
    }

    @Test(arguments: [1, .max])
    func `a request body and pipelined requests wait while a proxy password is checked`(pieces: Int)
        throws
    {
        let authenticator = ScriptedAuthenticator()
        let (early, late) = try Playbook.play(
            pieceByteCount: pieces, at: Self.listener, authenticator: authenticator
        ) { book in
            book.clientSends(Self.request("POST http://h/a HTTP/1.1", body: "hello"))
            book.clientSends(Self.request("GET http://h/b HTTP/1.1"))
            let early = Outcome(book)
            authenticator.answer(.accepted)
            return early
        } then: { book, early in
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            authenticator.answer(.accepted)
            return (early, Outcome(book))
        }
        #expect(early.client.isEmpty)
        #expect(early.rows.isEmpty)
        #expect(late.servers.first?.hasPrefix("POST /a HTTP/1.1\r\n") == true)
        #expect(late.servers.first?.contains("hello") == true)
        #expect(late.client.hasPrefix("HTTP/1.1 204 "))
        #expect(late.rows.map(\.user) == ["alice"])
        #expect(authenticator.asked.count == 2)
    }

    @Test func `a request is served after its password check even if the client has half-closed`()
        throws
    {
        let authenticator = ScriptedAuthenticator()
        let outcome = try Playbook.play(at: Self.listener, authenticator: authenticator) { book in
            book.clientSends(Self.request())
            book.clientEnds()
            authenticator.answer(.accepted)
        } then: { book, _ in
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return Outcome(book)
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 204 "))
        #expect(outcome.isClosed)
    }

    @Test func `during a password check, reading from the client pauses once too much is buffered`()
        throws
    {
        let (isPaused, isResumed) = try Playbook.play(
            at: Self.listener, authenticator: ScriptedAuthenticator()
        ) { book in
            book.clientSends(
                Self.request(
                    "POST http://h/a HTTP/1.1", body: String(repeating: "x", count: 100_000)))
            return (book.client.isReadingPaused, !book.client.isReadingPaused)
        }
        #expect(isPaused && !isResumed)
    }

    @Test
    func `if a client disconnects during its password check, its request is recorded as failed`()
        throws
    {
        let ends: [@Sendable (Playbook) -> Void] = [
            { $0.clientBreaks() }, { $0.proxy.clients.terminateAll() },
        ]
        for end in ends {
            let authenticator = ScriptedAuthenticator()
            let outcome = try play(authenticator) { book in
                book.clientSends(Self.request())
                end(book)
                authenticator.answer(.accepted)
            }
            #expect(outcome.servers.isEmpty)
            #expect(outcome.rows.map(\.state) == [.failed])
            #expect(outcome.rows.map(\.user) == [nil])
            #expect(!outcome.recorded.contains(Self.token))
        }
    }

    @Test(arguments: [1, .max])
    func `a tunnel is authenticated once, with the credentials of its CONNECT request`(pieces: Int)
        throws
    {
        let authenticator = ScriptedAuthenticator(.accepted)
        let outcome = try play(authenticator, pieces: pieces) { book in
            book.clientSends(Self.request("CONNECT h:80 HTTP/1.1"))
            book.connects()
            book.clientSends("GET /a HTTP/1.1\r\nHost: h\r\nAuthorization: Basic eDp5\r\n\r\n")
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 200 Connection established\r\n"))
        #expect(outcome.servers.first?.contains("Authorization: Basic eDp5") == true)
        #expect(outcome.rows.map(\.user) == ["alice"])
        #expect(outcome.rows.map(\.url) == ["http://h/a"])
        #expect(authenticator.asked.count == 1)
    }

    @Test
    func `a request sent right after CONNECT waits for the password check and is then forwarded`()
        throws
    {
        let authenticator = ScriptedAuthenticator()
        let outcome = try Playbook.play(at: Self.listener, authenticator: authenticator) { book in
            book.clientSends(
                Self.request("CONNECT h:80 HTTP/1.1") + "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            authenticator.answer(.accepted)
        } then: { book, _ in
            book.connects()
            return Outcome(book)
        }
        #expect(outcome.servers.first?.hasPrefix("GET /a HTTP/1.1\r\n") == true)
        #expect(authenticator.asked.count == 1)
    }

    @Test func `a CONNECT without valid proxy credentials gets a 407, and the connection closes`()
        throws
    {
        for fields in ["", Self.credentials] {
            let outcome = try play(ScriptedAuthenticator(.rejected)) { book in
                book.clientSends(Self.request("CONNECT h:443 HTTP/1.1", fields))
            }
            #expect(outcome.client.hasPrefix("HTTP/1.1 407 "))
            #expect(outcome.client.contains("Connection: close\r\n"))
            #expect(outcome.isClosed)
            #expect(outcome.rows.map(\.url) == ["tunnel://h:443"])
            #expect(outcome.rows.map(\.user) == [nil])
            #expect(!outcome.recorded.contains(Self.token))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1", "GET http://proxyd.local/ca.pem HTTP/1.1",
        "TRACE http://h/ HTTP/1.1\r\nMax-Forwards: 0", "OPTIONS * HTTP/1.1",
    ])
    func `requests that the proxy answers itself need proxy credentials, too`(start: String) throws
    {
        let refused = try play(ScriptedAuthenticator(.accepted)) { book in
            book.clientSends(Self.request(start, ""))
        }
        #expect(refused.client.hasPrefix("HTTP/1.1 407 "), "\(refused.client)")
        let served = try play(ScriptedAuthenticator(.accepted)) { book in
            book.clientSends(Self.request(start))
        }
        #expect(!served.client.hasPrefix("HTTP/1.1 407 "))
        #expect(!served.client.contains(Self.token))
        #expect(!served.recorded.contains(Self.token))
    }

    @Test(arguments: [
        "GET http://h/ HTTP/1.1\r\nBad Name: x\r\n\(credentials)\r\n",
        "GET http://h/ HTTP/1.1\r\n\(credentials)Bad Name: x\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nProxy-Authorization : Basic \(token)\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nProxy-Authorization: Basic\r\n \(token)\r\n\r\n",
        "GET http://h/ HTTP/1.1\nproxy-AUTHORIZATION:Basic \(token)\nHost: h\nHost: i\n\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(credentials)",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic YWxpY2U6c2U6Y3Jl",
    ])
    func `an invalid or incomplete request head is recorded without its proxy password`(
        head: String
    ) throws {
        for end in [{ $0.passes(seconds: 11) }, { $0.clientEnds() }]
            as [@Sendable (Playbook) -> Void]
        {
            let outcome = try play(ScriptedAuthenticator(.rejected)) { book in
                book.clientSends(head)
                end(book)
            }
            #expect(outcome.rows.count == 1)
            #expect(!outcome.recorded.contains("YWxpY2U"), "\(outcome.recorded)")
            #expect(outcome.recorded.contains("REDACTED"), "\(outcome.recorded)")
        }
    }

    @Test
    func `repeated, malformed or non-Basic proxy credentials get a 407 without a password check`()
        throws
    {
        let authenticator = ScriptedAuthenticator(.accepted)
        for fields in [
            Self.credentials + Self.credentials, "Proxy-Authorization: Bearer \(Self.token)\r\n",
            "Proxy-Authorization: Basic\r\n", "Proxy-Authorization: Basic bm9jb2xvbg==\r\n",
            "Proxy-Authorization: Basic \(Self.token)x\r\n",
            "Authorization: Basic \(Self.token)\r\n",
        ] {
            let outcome = try play(authenticator) { book in
                book.clientSends(Self.request("GET http://h/ HTTP/1.1", fields))
            }
            #expect(outcome.client.hasPrefix("HTTP/1.1 407 "), "\(fields)")
        }
        #expect(authenticator.asked.isEmpty)
    }

    @Test
    func `a listener without authentication ignores proxy credentials and does not forward them`()
        throws
    {
        let outcome = try Playbook.play(authenticator: ScriptedAuthenticator(.rejected)) { book in
            book.clientSends(Self.request())
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            return Outcome(book)
        }
        #expect(outcome.client.hasPrefix("HTTP/1.1 204 "))
        #expect(outcome.rows.map(\.user) == [nil])
        #expect(outcome.servers.first?.lowercased().contains("proxy-auth") == false)
    }

    @Test func `HTTP/2 requests without proxy credentials are answered with 407 on their streams`()
        throws
    {
        let outcome = try HTTP2Scene.play(
            at: Self.listener, authenticator: ScriptedAuthenticator(.accepted),
            [
                { $0.client.request(.get) },
                {
                    $0.client.request(.post, body: .exactly(5))
                    $0.client.send(body: "hello", on: 3)
                },
            ]
        ) { scene in (scene.client.got(), scene.client.responseFields, scene.book.sink.rows) }
        #expect(outcome.0.filter { $0.hasSuffix(" 407") } == ["1 407", "3 407"])
        let challenge = "proxy-authenticate: Basic realm=\"proxyd\", charset=\"UTF-8\""
        #expect(outcome.1.contains(challenge))
        #expect(outcome.2.map(\.status) == [407, 407])
        #expect(outcome.2.map(\.url) == ["http://h/", "http://h/"])
    }
}

/// Credentials for the proxy that lie beside the repository.
struct HTTPUserVectorTests {
    private struct Vectors: Decodable {
        let vectors: [Vector]
        enum CodingKeys: String, CodingKey { case vectors = "proxy_authentication" }
    }

    private struct Vector: Decodable, Sendable {
        let id: String
        let value: String?
        let answer: Int?
        let user: String?
        enum CodingKeys: String, CodingKey {
            case id, answer, user
            case value = "proxy_authorization"
        }
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `each shared test vector for proxy authentication gets its expected response`() throws {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).vectors
        #expect(vectors.count >= 6)
        for vector in vectors { try check(vector) }
    }

    private func check(_ vector: Vector) throws {
        let field = vector.value.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
        let (client, rows) = try Playbook.play(
            at: ServedListener(name: OneUser.listener, mode: .proxy), authenticator: OneUser()
        ) { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\(field)\r\n")
            if book.connector.isWaitedFor { book.connects() }
            return (WireOutcome.text(book.client.written), book.sink.rows)
        }
        #expect(client.isEmpty == (vector.answer == nil), "\(vector.id)")
        if let answer = vector.answer {
            #expect(client.hasPrefix("HTTP/1.1 \(answer) "), "\(vector.id)")
            #expect(
                client.contains("Proxy-Authenticate: Basic realm=\"proxyd\", charset=\"UTF-8\""))
            #expect(rows.map(\.user) == [nil], "\(vector.id)")
        }
    }
}
