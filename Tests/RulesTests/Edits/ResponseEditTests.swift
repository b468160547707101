import ProxydConfigurationText
import ProxydHTTPModel
import ProxydRules
import Testing

/// Edits of responses that no recipe shows.
struct ResponseEditTests {
    private func exchange(
        _ lists: String, _ response: String, method: String = "GET"
    ) throws -> RuleExchange {
        let set = try RulesFile.read("[[rule]]\nname = \"r\"\n\(lists)\n", file: "f", now: 0)
        let request = "\(method) http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
        var exchange = try RuleExchange(set, Array(request.utf8))
        exchange.send()
        try exchange.answer(Array(response.replacing("\n", with: "\r\n").utf8))
        return exchange
    }

    private func head(_ exchange: RuleExchange) -> [String] {
        String(decoding: exchange.received?.head ?? [], as: UTF8.self)
            .replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        ("set = \"cookie:a\", value = \"9\"", ["a=9; Path=/; Secure", "ab=2", "A=3"]),
        ("add = \"cookie:a\", value = \"9\"", ["a=1; Path=/; Secure", "ab=2", "A=3", "a=9"]),
        ("set = \"cookie:n\", value = \"\"", ["a=1; Path=/; Secure", "ab=2", "A=3", "n="]),
        ("remove = \"cookie:a\"", ["ab=2", "A=3"]),
        ("remove = \"cookie:a\", match = '/'", ["a=1; Path=/; Secure", "ab=2", "A=3"]),
        ("remove = \"cookie:ab\", match = '^2$'", ["a=1; Path=/; Secure", "A=3"]),
    ])
    func `a rule's edit of a Set-Cookie field keeps the cookie's attributes and the other cookies`(
        _ action: String, _ cookies: [String]
    ) throws {
        let found = try exchange(
            "response = [{ \(action) }]",
            "HTTP/1.1 200 OK\nSet-Cookie: a=1; Path=/; Secure\nSet-Cookie: ab=2\n"
                + "Set-Cookie: A=3\nContent-Length: 0\n\n")
        let lines = head(found).filter { $0.hasPrefix("Set-Cookie: ") }
        #expect(lines == cookies.map { "Set-Cookie: \($0)" })
    }

    @Test(arguments: [
        ("set = \"status\", value = 404", "HTTP/1.1 404 Not Found", "changed"),
        ("set = \"status\", value = \"299\"", "HTTP/1.1 299 ", "changed"),
        ("set = \"status\", value = 200", "HTTP/1.1 200 Fine", "unchanged"),
        ("set = \"reason\", value = \"\"", "HTTP/1.1 200 ", "changed"),
        ("set = \"reason\", value = \"Fine\"", "HTTP/1.1 200 Fine", "unchanged"),
    ])
    func `a rule that changes the status also sets the reason phrase that belongs to it`(
        _ action: String, _ line: String, _ outcome: String
    ) throws {
        let found = try exchange(
            "response = [{ \(action) }]", "HTTP/1.1 200 Fine\nContent-Length: 0\n\n")
        #expect(head(found).first == line)
        #expect(found.applied.map(\.outcome) == [outcome])
    }

    @Test
    func `the no-cache preset replaces the caching fields of responses to GET, but not to POST`()
        throws
    {
        let response =
            "HTTP/1.1 200 OK\nETag: \"1\"\nExpires: 0\nAge: 5\nLast-Modified: x\nX: y\n"
            + "Cache-Control: max-age=9\nCache-Control: public\nContent-Length: 0\n\n"
        let got = try exchange("preset = [\"no-cache\"]", response)
        #expect(
            head(got) == [
                "HTTP/1.1 200 OK", "X: y", "Cache-Control: no-store", "Content-Length: 0",
            ]
        )
        let posted = try exchange("preset = [\"no-cache\"]", response, method: "POST")
        #expect(head(posted).contains("ETag: \"1\""))
        #expect(posted.applied.map(\.outcome) == ["unchanged", "unchanged"])
    }

    @Test func `after a response rule blocks, no further actions and rules are applied`() throws {
        let found = try exchange(
            "response = [{ set = \"header:A\", value = \"1\" }, { block = \"close\" }, "
                + "{ respond = 200 }]\n[[rule]]\nname = \"s\"\nresponse = [{ tag = \"t\" }]",
            "HTTP/1.1 200 OK\nContent-Length: 0\n\n")
        #expect(found.end == "close" && found.received == nil)
        #expect(found.applied.map { "\($0.rule) \($0.outcome)" } == ["r blocked"])
        #expect(found.tags.isEmpty)
    }

    @Test
    func `when a response rule replaces the server's response, later actions edit the replacement`()
        throws
    {
        let found = try exchange(
            "response = [{ replace = \"body\", match = 'x', with = \"y\" }, "
                + "{ respond = 203, body = \"axa\", headers = [\"A: 1\"] }, "
                + "{ replace = \"body\", match = 'x', with = \"yy\" }, "
                + "{ set = \"header:A\", value = \"2\" }]",
            "HTTP/1.1 200 OK\nServer: s\nContent-Length: 3\n\nxxx")
        #expect(
            found.received?.text
                == "HTTP/1.1 203 Non-Authoritative Information\r\nA: 2\r\n"
                + "Content-Length: 4\r\n\r\nayya"
        )
    }

    @Test(arguments: [
        ("GET", "HTTP/1.1 204 No Content\n\n", "no body"),
        ("GET", "HTTP/1.1 304 Not Modified\nContent-Length: 5\n\n", "no body"),
        ("HEAD", "HTTP/1.1 200 OK\nContent-Length: 5\n\n", "no body"),
        ("GET", "HTTP/1.1 206 Partial Content\nContent-Length: 1\n\nx", "partial content"),
        (
            "GET", "HTTP/1.1 200 OK\nContent-Encoding: zstd\nContent-Length: 2\n\n(\u{35}",
            "not JSON"
        ),
        (
            "GET", "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 1\n\n\u{1F}",
            "unreadable body"
        ),
        ("GET", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "not JSON"),
    ])
    func `a response body that a rule cannot edit is forwarded unchanged, and the cause recorded`(
        _ method: String, _ response: String, _ outcome: String
    ) throws {
        let found = try exchange(
            "response = [{ set = \"json:a\", value = 1 }]", response, method: method)
        #expect(found.applied.map(\.outcome) == [outcome])
        let body = response.firstRange(of: "\n\n").map { response[$0.upperBound...] } ?? ""
        #expect(found.received.map { String(decoding: $0.body, as: UTF8.self) } == String(body))
    }

    @Test
    func `digest fields, whatever their letter case, are removed when a rule changes the body`()
        throws
    {
        let lines =
            "content-md5: a\nRepr-Digest: sha-256=:a:\nCONTENT-DIGEST: sha-256=:a:\nDigest: b\n"
            + "ETag: \"1\"\n"
        let response = "HTTP/1.1 200 OK\n\(lines)Content-Length: 1\n\na"
        let changed = try exchange(
            "response = [{ replace = \"body\", match = 'a', with = \"b\" }]", response)
        #expect(head(changed) == ["HTTP/1.1 200 OK", "ETag: \"1\"", "Content-Length: 1"])
        let kept = try exchange(
            "response = [{ replace = \"body\", match = 'c', with = \"b\" }]", response)
        #expect(head(kept).count == 7)
    }
}
