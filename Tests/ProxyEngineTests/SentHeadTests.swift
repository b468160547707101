import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// What of a request's head is recorded as sent: only what differs in more than form.
struct SentHeadTests {
    private func sent(
        _ request: String, configuration: EngineConfiguration = EngineConfiguration()
    ) throws -> (text: String?, server: String, keepsForeignHost: Bool) {
        let outcome = try Playbook.exchange(request, configuration: configuration)
        let row = try #require(outcome.rows.first)
        return (
            row.requestHeadSent.map(WireOutcome.text), outcome.server, row.keepsForeignHost
        )
    }

    @Test(arguments: [
        "GET http://h/p HTTP/1.1\r\nHost: other\r\n\r\n",
        "GET http://h/p HTTP/1.0\r\n\r\n",
        "GET http://h/p#f HTTP/1.1\r\nHost: h\r\n\r\n",
        "OPTIONS http://h/p HTTP/1.1\r\nHost: h\r\nMax-Forwards: 3\r\n\r\n",
    ])
    func `the sent request head is recorded if it differs from the received one in substance`(
        request: String
    ) throws {
        let (text, server, _) = try sent(request)
        #expect(text == server)
    }

    @Test(arguments: [
        Playbook.plainGet, "GET http://h:80 HTTP/1.1\r\nHost: H\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: X, close\r\nX: y\r\n\r\n",
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 00\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: x\r\nTE: gzip\r\n\r\n",
    ])
    func `the sent request head is not recorded if only form, framing or hop-by-hop fields differ`(
        request: String
    ) throws {
        let (text, server, _) = try sent(request)
        #expect(text == nil)
        #expect(!server.isEmpty)
    }

    @Test func `the sent request head is recorded if Via was added`() throws {
        var configuration = EngineConfiguration()
        configuration.viaPseudonym = "p"
        let (text, server, _) = try sent(Playbook.plainGet, configuration: configuration)
        #expect(text == server)
        #expect(server.contains("Via: 1.1 p\r\n"))
    }

    @Test
    func `with keepsHost, a Host that differs from the target is forwarded, and this is recorded`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.keepsHost = true
        let request = "GET http://h/p HTTP/1.1\r\nHost: other\r\n\r\n"
        let (text, server, keepsForeignHost) = try sent(request, configuration: configuration)
        #expect(server == "GET /p HTTP/1.1\r\nHost: other\r\n\r\n")
        #expect(text == nil)
        #expect(keepsForeignHost)
        let plain = try sent(Playbook.plainGet, configuration: configuration)
        #expect(!plain.keepsForeignHost)
    }

    @Test
    func `if Alt-Svc is removed from a response, its fields are recorded with and without it`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.removesAltSvc = true
        let answer = "HTTP/1.1 200 OK\r\nAlt-Svc: clear\r\nContent-Length: 12345\r\n\r\n"
        let outcome = try Playbook.exchange(
            "HEAD http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", answer: answer,
            configuration: configuration)
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")
        let row = try #require(outcome.rows.first)
        #expect(row.responseHead.map(WireOutcome.text) == answer)
        #expect(row.responseHeadSent.map(WireOutcome.text) == outcome.client)
    }
}
