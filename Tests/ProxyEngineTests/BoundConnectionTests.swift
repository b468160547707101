import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// NTLM and Negotiate authenticate the connection: what one client proves there is no other's.
struct BoundConnectionTests {
    private static let challenge =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n"

    private static func get(_ path: String, lines: String = "", host: String = "h") -> String {
        "GET http://\(host)\(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n"
    }

    /// What each server got, by the paths that were asked for.
    private static func paths(_ servers: [ScriptedStream]) -> [[String]] {
        servers.map { server in
            WireOutcome.text(server.written).split(separator: "\r\n")
                .filter { $0.hasSuffix(" HTTP/1.1") }
                .map { String($0.split(separator: " ")[1]) }
        }
    }

    /// A client asks twice over one connection, a second client once, a third one after both are
    /// gone. Returns what each server was asked for.
    private func play(request lines: String, answer: String) throws -> [[String]] {
        try Playbook.play { book in
            book.requests(Self.get("/a1", lines: lines))
            book.connects()
            book.answers(answer)
            book.requests(Self.get("/a2"))
            if book.connector.isWaitedFor { book.connects() }
            book.answers(Playbook.noContent)
            let other = book.accept("other")
            for (client, path) in [(other, "/b1"), (book.client, "/a3"), (other, "/b2")] {
                client.receive(WireOutcome.bytes(Self.get(path)), pieceByteCount: .max)
                if book.connector.isWaitedFor { book.connects() }
                let asked = Self.paths(book.servers).firstIndex { $0.last == path } ?? 0
                book.serverSends(Playbook.noContent, from: asked)
            }
            return Self.paths(book.servers)
        }
    }

    @Test(arguments: [
        "Authorization: NTLM TlRMTVNTUAAB\r\n", "AUTHORIZATION: ntlm x\r\n",
        "Authorization: Negotiate YII=\r\n", "authorization:nEGOTIATE\tx\r\n",
        "Proxy-Authorization: NTLM x\r\n", "Authorization: Basic x\r\nAuthorization: NTLM y\r\n",
    ])
    func `a server connection that carried NTLM or Negotiate credentials serves only one client`(
        lines: String
    ) throws {
        let asked = try play(request: lines, answer: Playbook.noContent)
        #expect(asked == [["/a1", "/a2", "/a3"], ["/b1", "/b2"]])
    }

    @Test(arguments: [
        "WWW-Authenticate: NTLM", "www-authenticate: negotiate", "WWW-Authenticate: Negotiate TlRM",
        "WWW-Authenticate: Basic realm=\"a, b\", NTLM", "WWW-Authenticate: Negotiate, NTLM",
        "WWW-Authenticate: Basic realm=x\r\nWWW-Authenticate: Negotiate",
        "Proxy-Authenticate: Digest nonce=\"x\" , nTLM",
    ])
    func `a server connection that got an NTLM or Negotiate challenge serves only one client`(
        line: String
    ) throws {
        let answer = "HTTP/1.1 401 No\r\n\(line)\r\nContent-Length: 0\r\n\r\n"
        let asked = try play(request: "", answer: answer)
        #expect(asked == [["/a1", "/a2", "/a3"], ["/b1", "/b2"]])
    }

    @Test(arguments: [
        "WWW-Authenticate: Basic realm=NTLM", "WWW-Authenticate: NTLMish", "X: NTLM",
        "WWW-Authenticate: Bearer",
    ])
    func `a connection with a challenge other than NTLM or Negotiate can serve other clients`(
        line: String
    ) throws {
        let asked = try Playbook.play { book in
            book.requests(Self.get("/a"))
            book.connects()
            book.answers("HTTP/1.1 401 No\r\n\(line)\r\nContent-Length: 0\r\n\r\n")
            let other = book.accept("other")
            other.receive(WireOutcome.bytes(Self.get("/b")), pieceByteCount: .max)
            return Self.paths(book.servers)
        }
        #expect(asked == [["/a", "/b"]])
    }

    @Test func `NTLM credentials are never sent on a connection that served another client`() throws
    {
        let asked = try Playbook.play { book in
            book.requests(Self.get("/a"))
            book.connects()
            book.answers(Playbook.noContent)
            let other = book.accept("other")
            other.receive(
                WireOutcome.bytes(Self.get("/b", lines: "Authorization: NTLM x\r\n")),
                pieceByteCount: .max)
            if book.connector.isWaitedFor { book.connects() }
            return Self.paths(book.servers)
        }
        #expect(asked == [["/a"], ["/b"]])
    }

    @Test func `the NTLM connection of a client that disconnected is closed instead of pooled`()
        throws
    {
        let endings = try Playbook.play { book in
            book.requests(Self.get("/a"))
            book.connects()
            book.answers(Self.challenge)
            book.clientEnds()
            return book.servers.map(\.ending)
        }
        #expect(endings == [.closed])
    }

    @Test func `a client is disconnected when its NTLM connection to the server closes`() throws {
        let outcome = try Playbook.play { book in
            book.requests(Self.get("/a"))
            book.connects()
            book.answers(Self.challenge)
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.client == Self.challenge)
        #expect(outcome.clientEnding == .closed)
    }

    @Test func `an NTLM challenge with Connection: close also closes the client connection`()
        throws
    {
        let outcome = try Playbook.exchange(
            answer: Self.challenge.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
        #expect(outcome.client.contains("\r\nConnection: close\r\n"))
        #expect(outcome.clientEnding == .closed)
    }

    @Test func `a request is not repeated on another connection when its NTLM connection is lost`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(Self.get("/a"))
            book.connects()
            book.answers(Self.challenge)
            book.requests(Self.get("/b", lines: "Authorization: NTLM TlRMTVNTUAAD\r\n"))
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.servers.count == 1)
        #expect(outcome.client == Self.challenge && outcome.clientEnding == .closed)
        #expect(outcome.rows.map(\.state) == [.complete, .failed])
        #expect(outcome.rows.last?.status == nil)
        #expect(outcome.rows.last?.failure?.message.contains("no answer was sent") == true)
    }

    @Test
    func `if the server closed an NTLM connection, the next request closes the client connection`()
        throws
    {
        let outcome = try Playbook.play(
            { book in
                book.requests(Self.get("/a"))
                book.connects()
                book.answers(Self.challenge)
                book.servers.last?.hasEndedUnnoticed = true
                book.requests(Self.get("/b"))
            }, then: { book, _ in book.outcome })
        #expect(outcome.servers.count == 1)
        #expect(outcome.client == Self.challenge && outcome.clientEnding == .closed)
        #expect(outcome.rows.map(\.status) == [401, nil])
    }

    @Test
    func `a client that gets a ninth NTLM server connection loses all nine and is disconnected`()
        throws
    {
        let (endings, clientEnding) = try Playbook.play { book in
            for number in 1...9 {
                book.requests(Self.get("/", host: "h\(number)"))
                book.connects()
                book.answers(Self.challenge)
                // Another server's stays as it was.
                book.requests(Self.get("/", host: "h1"))
                book.serverSends(Playbook.noContent, from: 0)
            }
            return (book.servers.map(\.ending), book.client.ending)
        }
        #expect(endings.count == 9)
        #expect(endings.allSatisfy { $0 == .closed })
        #expect(clientEnding == .closed)
    }

    @Test func `inside a CONNECT tunnel, too, an NTLM connection serves only one client`() throws {
        let asked = try Playbook.play { book in
            let tunnel = "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"
            let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }
            book.requests(tunnel)
            book.connects()
            book.requests(get("/a1"))
            book.answers(Self.challenge)
            let other = book.accept("other")
            other.receive(WireOutcome.bytes(tunnel), pieceByteCount: .max)
            if book.connector.isWaitedFor { book.connects() }
            other.receive(WireOutcome.bytes(get("/b")), pieceByteCount: .max)
            if book.connector.isWaitedFor { book.connects() }
            book.requests(get("/a2"))
            return Self.paths(book.servers)
        }
        #expect(asked == [["/a1", "/a2"], ["/b"]])
    }
}
