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

    @Test(arguments: ["gzip", "deflate"])
    func `a coding that can be written stays`(_ name: String) throws {
        let coding = try #require(ContentEncoder.Coding(rawValue: name))
        let text = Array("{\"name\":\"alice\"}".utf8)
        let body = try ContentEncoder.encode(text.span, as: coding)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\nContent-Length: \(body.count)\r\n\r\n"
        let received = try #require(
            try exchange(replaceAlice, Array(head.utf8) + body).received)
        let decoded = ContentDecoder.decode(received.body.span, contentEncoding: name)
        #expect(String(decoding: decoded.octets, as: UTF8.self) == "{\"name\":\"bob\"}")
        #expect(received.text.contains("Content-Length: \(received.body.count)\r\n"))
    }

    @Test func `codings on top of each other are left off`() throws {
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
    func `a body without an end is not waited for`(_ type: String) throws {
        let found = try exchange(
            replaceAlice, "HTTP/1.1 200 OK\nContent-Type: \(type)\nContent-Length: 5\n\nalice")
        #expect(found.applied.map(\.outcome) == ["event stream"])
        #expect(found.heldBodies.isEmpty)
        #expect(found.received?.text.hasSuffix("alice") == true)
    }

    @Test func `an answer of a rule has response rules act on it`() throws {
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

    @Test func `a filter on the request's body decides about the response`() throws {
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

    @Test func `a response without content says that there is none to change`() throws {
        let found = try exchange(replaceAlice, "HTTP/1.1 204 No Content\n\n")
        #expect(found.applied.map(\.outcome) == ["no body"])
        #expect(found.received?.text == "HTTP/1.1 204 No Content\r\n\r\n")
    }
}
