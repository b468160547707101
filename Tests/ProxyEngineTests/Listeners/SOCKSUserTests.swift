import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// SOCKS clients that must authenticate.
struct SOCKSUserTests {
    private static let credentials: [UInt8] = [5, 1, 2, 1, 2, 0x6D, 0x65, 3, 0x70, 0x77, 0x64]
    private static let request: [UInt8] = [5, 1, 0, 3, 1, 0x68, 0, 80]

    private func play<Value: Sendable>(
        _ authenticator: ScriptedAuthenticator, pieces: Int = .max,
        _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try play(authenticator, pieces: pieces, { _ in }, then: script)
    }

    /// What a verdict leads to happens before the second script.
    private func play<Value: Sendable>(
        _ authenticator: ScriptedAuthenticator, pieces: Int = .max,
        _ first: @escaping @Sendable (Playbook) -> Void,
        then script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try Playbook.play(
            pieceByteCount: pieces, at: Playbook.socks, authenticator: authenticator, first,
            then: { book, _ in script(book) })
    }

    @Test(arguments: [1, .max])
    func `a SOCKS client with valid credentials is served, and its user is recorded`(pieces: Int)
        throws
    {
        let authenticator = ScriptedAuthenticator()
        let outcome = try play(authenticator, pieces: pieces) { book in
            book.clientSends(Self.credentials)
            authenticator.answer(.accepted)
        } then: { book in
            book.clientSends(Self.request)
            book.connects()
            book.clientSends("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            book.clientBreaks()
            return book.socksOutcome
        }
        #expect(outcome.client == [5, 2, 1, 0] + SOCKSReply.v5(0))
        #expect(outcome.rows.map(\.user) == ["me"])
        let asked = ClientCredentials(user: Array("me".utf8), password: Array("pwd".utf8))
        #expect(authenticator.asked == [asked])
    }

    @Test(arguments: [CredentialVerdict.rejected, .tooMany])
    func `a wrong SOCKS password is rejected and recorded without the credentials`(
        verdict: CredentialVerdict
    ) throws {
        let outcome = try play(ScriptedAuthenticator(verdict)) { book in
            book.clientSends(Self.credentials + Self.request)
        } then: {
            $0.socksOutcome
        }
        #expect(outcome.client == [5, 2, 1, 1])
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.targets.isEmpty)
        #expect(outcome.rows.map(\.state) == [.failed])
        #expect(outcome.rows.map(\.failure?.kind) == [.refused])
        #expect(outcome.rows.map(\.malformed) == [[]])
        let message = try #require(outcome.rows.first?.failure?.message)
        #expect(message.hasPrefix("too many") == (verdict == .tooMany))
    }

    @Test(arguments: 3...10)
    func `incomplete SOCKS credentials are not recorded`(count: Int) throws {
        for pieces in [1, .max] {
            let rows = try play(ScriptedAuthenticator(), pieces: pieces) { book in
                book.clientSends(Array(Self.credentials.prefix(count)))
                book.passes(seconds: 11)
                return book.sink.rows
            }
            #expect(rows.map(\.failure?.kind) == [.timedOut])
            #expect(rows.map(\.malformed) == [[]])
        }
    }

    /// Clients that send everything ahead do so before they know that no password is wanted.
    @Test func `credentials that a SOCKS listener did not ask for are not recorded`() throws {
        let rows = try Playbook.play(at: Playbook.socks) { book in
            book.clientSends([5, 1, 2, 1, 1, 0x61, 6] + Array("secret".utf8))
            return book.sink.rows
        }
        #expect(rows.map(\.failure?.kind) == [.malformedRequest])
        #expect(rows.map(\.malformed) == [[5, 1, 2]])
        let http = try Playbook.play(at: Playbook.socks) { book in
            book.clientSends(
                Array("GET / HTTP/1.1\r\nProxy-Authorization: Basic c2VjcmV0\r\n".utf8))
            return book.sink.rows
        }
        let recorded = try #require(http.first?.malformed)
        #expect(
            String(decoding: recorded, as: UTF8.self)
                == "GET / HTTP/1.1\r\nProxy-Authorization: REDACTED\r\n")
    }

    @Test func `a SOCKS request sent before the login reply waits for the password check`() throws {
        let authenticator = ScriptedAuthenticator()
        let (early, late) = try Playbook.play(
            at: Playbook.socks, authenticator: authenticator
        ) { book in
            book.clientSends(Self.credentials + Self.request)
            let early = book.socksOutcome
            let isPaused = book.client.isReadingPaused
            authenticator.answer(.accepted)
            return isPaused ? early : nil
        } then: { book, early in
            (early, (book.socksOutcome, book.client.isReadingPaused))
        }
        #expect(try #require(early).client == [5, 2])
        #expect(late.0.client == [5, 2, 1, 0])
        #expect(late.0.targets == ["h:80"])
        #expect(!late.1)
    }

    @Test func `a password check has no effect if the SOCKS client has disconnected meanwhile`()
        throws
    {
        let endings: [@Sendable (Playbook) -> Void] = [
            { $0.clientBreaks() }, { $0.proxy.clients.terminateAll() },
        ]
        for end in endings {
            let authenticator = ScriptedAuthenticator()
            let outcome = try play(authenticator) { book in
                book.clientSends(Self.credentials + Self.request)
                end(book)
                authenticator.answer(.accepted)
            } then: {
                $0.socksOutcome
            }
            #expect(outcome.client == [5, 2])
            #expect(outcome.targets.isEmpty)
            #expect(outcome.rows.map(\.state) == [.failed])
            #expect(outcome.rows.map(\.user) == [nil])
        }
    }

    @Test func `the handshake timeout does not run during a SOCKS password check`() throws {
        let authenticator = ScriptedAuthenticator()
        let outcome = try play(authenticator) { book in
            book.clientSends(Self.credentials + Self.request)
            book.passes(seconds: 60)
            authenticator.answer(.rejected)
        } then: {
            $0.socksOutcome
        }
        #expect(outcome.client == [5, 2, 1, 1])
    }

    @Test func `a SOCKS client that has half-closed still gets the result of its password check`()
        throws
    {
        let authenticator = ScriptedAuthenticator()
        let outcome = try play(authenticator) { book in
            book.clientSends(Self.credentials)
            book.clientEnds()
            authenticator.answer(.accepted)
        } then: {
            $0.socksOutcome
        }
        #expect(outcome.client == [5, 2, 1, 0])
        #expect(outcome.rows.map(\.failure?.kind) == [.closedEarly])
        #expect(outcome.clientEnding == .closed)
    }

    @Test
    func `SOCKS 4 and 5 clients that do not offer a required password are refused and recorded`()
        throws
    {
        for bytes in [Playbook.socksHandshake, [4, 1, 0, 80, 192, 0, 2, 1, 0]] {
            let outcome = try play(ScriptedAuthenticator(.accepted)) { book in
                book.clientSends(bytes)
                return book.socksOutcome
            }
            #expect(outcome.client == (bytes[0] == 5 ? [5, 0xFF] : SOCKSReply.v4(0x5D)))
            #expect(outcome.targets.isEmpty)
            #expect(outcome.rows.map(\.failure?.kind) == [.refused])
        }
    }
}
