import ProxydConfigurationText
import ProxydContentCoding
import ProxydHTTPModel
import ProxydRules
import Testing

struct ResponseRuleTests {
    private func exchange(
        _ rules: String, _ response: [UInt8], method: String = "GET"
    ) throws -> RuleExchange {
        let set = try RulesFile.read(rules, file: "rules.toml", now: 0)
        let request = "\(method) http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
        var exchange = try RuleExchange(set, Array(request.utf8))
        exchange.send()
        if exchange.sent != nil { try exchange.answer(response) }
        return exchange
    }

    private func exchange(_ rules: String, _ response: String) throws -> RuleExchange {
        try exchange(rules, Array(response.replacing("\n", with: "\r\n").utf8))
    }

    private let replaceAlice =
        "[[rule]]\nname = \"r\"\n"
        + "response = [{ replace = \"body\", match = 'alice', with = \"bob\" }]\n"

    @Test(arguments: ["~websocket", "proto=ws"])
    func `a rule's filter recognises a WebSocket by its 101 response`(_ filter: String) throws {
        let rules = "[[rule]]\nname = \"r\"\nwhen = '\(filter)'\nresponse = [{ tag = \"t\" }]\n"
        let switched =
            "HTTP/1.1 101 Switching Protocols\nConnection: upgrade\nUpgrade: WebSocket\n\n"
        #expect(try exchange(rules, switched).tags == ["t"])
        #expect(try exchange(rules, "HTTP/1.1 200 OK\nContent-Length: 0\n\n").tags == [])
    }

    @Test(arguments: ["gzip", "deflate"])
    func `a response body edited by a rule keeps its gzip or deflate coding`(_ name: String) throws
    {
        let coding = try #require(ContentEncoder.Coding(rawValue: name))
        let text = Array("{\"name\":\"alice\"}".utf8)
        let body = try ContentEncoder.encode(text.span, as: coding)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\nContent-Length: \(body.count)\r\n\r\n"
        let received = try #require(
            try exchange(replaceAlice, Array(head.utf8) + body).received)
        let decoded = ContentDecoder.decode(received.body.span, contentEncoding: name)
        #expect(String(decoding: decoded.bytes, as: UTF8.self) == "{\"name\":\"bob\"}")
        #expect(received.text.contains("Content-Length: \(received.body.count)\r\n"))
    }

    @Test
    func `a response body edited by a rule is sent uncoded if it had several content codings`()
        throws
    {
        let text = Array("alice".utf8)
        let inner = try ContentEncoder.encode(text.span, as: .deflate)
        let body = try ContentEncoder.encode(inner.span, as: .gzip)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: deflate, gzip\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        let found = try exchange(replaceAlice, Array(head.utf8) + body)
        #expect(found.received?.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbob")
    }

    @Test(arguments: ["text/event-stream", "application/grpc", "multipart/x-mixed-replace"])
    func `a rule's edit does not buffer an event stream, gRPC or multipart stream`(_ type: String)
        throws
    {
        let found = try exchange(
            replaceAlice, "HTTP/1.1 200 OK\nContent-Type: \(type)\nContent-Length: 5\n\nalice")
        #expect(found.applied.map(\.outcome) == ["event stream"])
        #expect(found.heldBodies.isEmpty)
        #expect(found.received?.text.hasSuffix("alice") == true)
    }

    private let eachLine =
        "[[rule]]\nname = \"r\"\n"
        + "response = [{ replace = \"body\", match = 'alice', with = \"bob\", each = \"line\" }]\n"

    @Test func `a response body is edited line by line without being buffered`() throws {
        let found = try exchange(
            eachLine,
            "HTTP/1.1 200 OK\nContent-Length: 12\nContent-MD5: x\n\nalice\nalice")
        #expect(found.heldBodies.isEmpty)
        #expect(
            found.received?.text
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nbob\r\nbob")
        #expect(found.applied.map(\.outcome) == ["changed"])
        #expect(found.applied.map(\.detail) == ["body, lines: 2"])
        let stream = try exchange(
            eachLine, "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\ndata: alice\n\n")
        #expect(stream.received?.text.hasSuffix("\r\n\r\ndata: bob\r\n\r\n") == true)
    }

    @Test(arguments: [
        ("200 OK\nContent-Encoding: gzip", "unreadable body"),
        ("206 Partial Content\nContent-Range: bytes 0-4/9", "partial content"),
        ("200 OK\nContent-Type: application/grpc", "event stream"),
        ("204 No Content", "no body"),
    ])
    func `a response body that cannot be edited line by line is forwarded unchanged`(
        head: String, outcome: String
    ) throws {
        let body = head.hasPrefix("204") ? "" : "Content-Length: 5\n\nalice"
        let found = try exchange(eachLine, "HTTP/1.1 \(head)\n" + (body.isEmpty ? "\n" : body))
        #expect(found.applied.map(\.outcome) == [outcome])
        #expect(found.received?.text.contains("Transfer-Encoding") == false)
        #expect(found.received?.text.hasSuffix(body.isEmpty ? "\r\n\r\n" : "alice") == true)
    }

    @Test func `if another rule needs the whole body, line-by-line edits are made in rule order`()
        throws
    {
        let rules =
            "[[rule]]\nname = \"a\"\nresponse = [{ replace = \"body\", match = 'x', "
            + "with = \"alice\" }]\n" + eachLine
        let found = try exchange(rules, "HTTP/1.1 200 OK\nContent-Length: 1\n\nx")
        #expect(found.received?.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbob")
        #expect(found.applied.map(\.outcome) == ["changed", "changed"])
    }

    @Test(arguments: [
        "request = [{ replace = \"body\", match = 'a', with = \"b\", each = \"line\" }]",
        "response = [{ replace = \"header:A\", match = 'a', with = \"b\", each = \"line\" }]",
        "response = [{ replace = \"body\", match = 'a', with = \"b\", each = \"word\" }]",
    ])
    func `the rule option 'each' is rejected unless the action edits lines of a response body`(
        action: String
    ) throws {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try RulesFile.read("[[rule]]\nname = \"r\"\n\(action)\n", file: "f", now: 0)
        }
        #expect(error?.problems.first?.description.contains("each ") == true)
    }

    @Test func `response rules also edit a response that a request rule generated`() throws {
        let rules = """
            [[rule]]
            name = "own"
            request = [{ respond = 200, type = "application/json", body = '{"a":1}' }]
            [[rule]]
            name = "edit"
            when = 'status=200 resbody:"a"'
            response = [{ set = "json:a", value = 2 }, { set = "header:X-B", value = "1" }]

            """
        let found = try exchange(rules, "")
        #expect(
            found.received?.text
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-B: 1\r\n"
                + "Content-Length: 7\r\n\r\n{\"a\":2}")
        #expect(found.applied.map(\.rule) == ["own", "edit"])
    }

    @Test func `the filter of a response rule can test the request body`() throws {
        let set = try RulesFile.read(
            "[[rule]]\nname = \"r\"\nwhen = 'reqbody:secret'\n"
                + "response = [{ set = \"status\", value = 500 }]\n", file: "f", now: 0)
        let request =
            "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 6\r\n\r\nsecret"
        var exchange = try RuleExchange(set, Array(request.utf8))
        exchange.send()
        #expect(exchange.heldBodies == [.request])
        try exchange.answer(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        #expect(exchange.received?.text.hasPrefix("HTTP/1.1 500 Internal Server Error") == true)
    }

    @Test
    func `a body edit of a 204 response changes nothing and gets the recorded outcome 'no body'`()
        throws
    {
        let found = try exchange(replaceAlice, "HTTP/1.1 204 No Content\n\n")
        #expect(found.applied.map(\.outcome) == ["no body"])
        #expect(found.received?.text == "HTTP/1.1 204 No Content\r\n\r\n")
    }
}
