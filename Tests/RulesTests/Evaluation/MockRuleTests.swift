import ProxydConfigurationText
import ProxydFilter
import ProxydHTTPModel
import ProxydRules
import Testing

/// The verb `mock`: how it is written, and what becomes of a request.
struct MockRuleTests {
    private static let get = "GET http://a.test/p HTTP/1.1\nHost: a.test\n\n"
    private static let post = """
        POST http://a.test/p HTTP/1.1
        Host: a.test
        Content-Length: 3

        abc
        """

    private func rules(_ actions: String, keys: String = "") throws -> RuleSet {
        try RulesFile.read(
            "[[rule]]\nname = \"r\"\n\(keys)request = [\n  \(actions)\n]\n", file: "rules.toml",
            now: 0)
    }

    private func exchange(
        _ actions: String, keys: String = "", _ request: String = get,
        _ mock: (MockCall) -> MockServed?
    ) throws -> RuleExchange {
        let wire = request.replacing("\n", with: "\r\n")
        var exchange = try RuleExchange(try rules(actions, keys: keys), Array(wire.utf8))
        exchange.send(mock: mock)
        return exchange
    }

    @Test func `the options of a mock action are read and have defaults`() throws {
        let plain = try #require(try rules("{ mock = 'host=a.test' }").mocks.first)
        #expect(plain.rule == "r")
        #expect(plain.position == MockPosition(rule: 0, action: 0))
        #expect(plain.mock.filter.text == "host=a.test")
        #expect(plain.mock.order == .thenLast)
        #expect(plain.mock.unmatched == .status(502))
        #expect(!plain.mock.isRefreshed)
        #expect(plain.mock.pace == .atOnce)
        let full = try #require(
            try rules(
                "{ tag = \"t\" }, { mock = '', match = [\"header:Accept\"], "
                    + "ignore = [\"query:ts\", \"json:nonce\"], order = \"cycle\", "
                    + "unmatched = \"forward\", refresh = true, pace = \"recorded\" }"
            ).mocks.first)
        #expect(full.position == MockPosition(rule: 0, action: 1))
        #expect(full.mock.matching.headers == ["Accept"])
        #expect(full.mock.matching.ignoredQuery == ["ts"])
        #expect(full.mock.order == .cycle)
        #expect(full.mock.unmatched == .forward)
        #expect(full.mock.isRefreshed)
        #expect(full.mock.pace == .recorded)
        #expect(try rules("{ mock = '' }", keys: "enabled = false\n").mocks.isEmpty)
    }

    @Test(arguments: [
        ("{ mock = 'hots=a' }", "rules.toml:4: column 1: unknown field"),
        ("{ mock = '', match = [\"Accept\"] }", "match: cannot match Accept"),
        ("{ mock = '', ignore = [\"cookie:a\"] }", "ignore: cannot ignore cookie:a"),
        ("{ mock = '', order = \"twice\" }", "order: "),
        ("{ mock = '', unmatched = 700 }", "unmatched: expected a status from 200 to 599"),
        ("{ mock = '', unmatched = \"open\" }", "unmatched: expected a status from 200 to 599"),
        ("{ mock = '', pace = \"slow\" }", "pace: "), ("{ mock = 1 }", "mock: expected a string"),
        ("{ mock = '', body = \"x\" }", "mock takes no body"),
    ])
    func `an invalid mock action is reported with its line`(action: String, message: String) throws
    {
        let error = #expect(throws: ConfigurationError.self) { _ = try rules(action) }
        let text = error?.problems.map(\.description).joined(separator: "\n") ?? ""
        #expect(text.contains(message), "\(text)")
        #expect(text.contains("rules.toml:4: "), "\(text)")
    }

    @Test func `a mock action in the response phase of a rule is rejected`() throws {
        #expect(throws: ConfigurationError.self) {
            _ = try RulesFile.read(
                "[[rule]]\nname = \"r\"\nresponse = [{ mock = '' }]\n", file: "f", now: 0)
        }
    }

    @Test
    func `when a mock serves a capture in response to a request, later actions are not applied`()
        throws
    {
        let answer = RuleAnswer(status: 201, body: Array("hi".utf8))
        let found = try exchange("{ mock = '' }, { set = \"header:X\", value = \"1\" }") { call in
            #expect(call.request.url.description == "http://a.test/p")
            #expect(!call.isUpgrade && !call.isBodyComing)
            return .answer(answer, note: "capture 7")
        }
        #expect(found.sent == nil)
        #expect(found.received?.text == "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi")
        #expect(found.applied.map(\.outcome) == ["answered"])
        #expect(found.applied.first?.detail == "capture 7")
    }

    @Test
    func `if no capture matches, a mock can close the connection or forward the request`()
        throws
    {
        let closed = try exchange("{ mock = '' }") { _ in .closed("unmatched") }
        #expect(closed.end == "close")
        #expect(closed.applied.first?.detail == "unmatched")
        let forwarded = try exchange(
            "{ mock = '' }, { set = \"header:X\", value = \"1\" }"
        ) { _ in .forwarded("unmatched, forwarded") }
        #expect(forwarded.sent?.text.contains("\r\nX: 1\r\n") == true)
        #expect(forwarded.applied.first?.detail?.contains("unmatched, forwarded") == true)
    }

    @Test
    func `a mock buffers a body only if matching needs it, and compares the request as received`()
        throws
    {
        var bodies: [[UInt8]?] = []
        let found = try exchange(
            "{ replace = \"path\", match = 'p', with = \"q\" }, { mock = '' }", Self.post
        ) { call in
            #expect(call.request.url.pathText == "/p")
            bodies.append(call.request.body)
            return call.isBodyComing ? nil : .answer(RuleAnswer(status: 200), note: "")
        }
        #expect(found.heldBodies == [.request])
        #expect(bodies == [[], Array("abc".utf8)])
        let unneeded = try exchange("{ mock = '' }", Self.post) { _ in .forwarded("no such") }
        #expect(unneeded.heldBodies.isEmpty)
    }

    @Test func `a mock rule with sees = 'changed' compares the request after earlier edits`()
        throws
    {
        _ = try exchange(
            "{ replace = \"path\", match = 'p', with = \"q\" }, { mock = '' }",
            keys: "sees = \"changed\"\n"
        ) { call in
            #expect(call.request.url.pathText == "/q")
            return .closed("")
        }
    }

    @Test func `a mock rule recognizes a request for a protocol upgrade`() throws {
        let upgrade =
            "GET http://a.test/p HTTP/1.1\nHost: a.test\nConnection: Upgrade\n"
            + "Upgrade: websocket\n\n"
        _ = try exchange("{ mock = '' }", upgrade) { call in
            #expect(call.isUpgrade)
            return .closed("")
        }
    }

    @Test(arguments: [
        ("", "a.test", true), ("when = 'host=a.test path:/x'\n", "a.test", true),
        ("when = 'host=b.test'\n", "a.test", false),
        ("when = 'scheme=https host=a.test'\n", "a.test", true),
        ("when = 'port=80'\n", "a.test", false),
    ])
    func `a CONNECT tunnel needs no server if a mock rule may answer the requests inside it`(
        keys: String, host: String, isMocked: Bool
    ) throws {
        let set = try rules("{ mock = '' }", keys: keys)
        func run(_ scheme: String) -> RuleRun {
            let connection = RuledConnection(
                client: "127.0.0.1:1", process: nil, host: host, port: 443, scheme: scheme,
                startedAtNs: 0)
            return RuleRun(set, connection, usage: CountedUsage(set))
        }
        #expect((run("tunnel").tunnelMock != nil) == isMocked)
        #expect(run("http").tunnelMock == nil)
    }
}
