import ProxydConfigurationText
import ProxydFilter
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

/// Rules about connections, and what is counted of them.
struct ConnectRuleTests {
    private func run(
        _ rules: String, host: String = "a.test", hits: [String: Int] = [:],
        change: (inout RuledConnection) -> Void = { _ in }
    ) throws -> RuleRun {
        let set = try RulesFile.read(rules, file: "f", now: 0)
        var connection = RuledConnection(
            client: "10.0.0.5:4000", process: "curl", host: host, port: 443, scheme: "tunnel",
            startedAtNs: 0)
        change(&connection)
        return RuleRun(set, connection, usage: CountedUsage(set, hits))
    }

    private func rule(_ name: String, _ rest: String) -> String {
        "[[rule]]\nname = \"\(name)\"\n\(rest)\n"
    }

    @Test func `if several connect rules set an upstream, the last one wins`() throws {
        var run = try run(
            rule("a", "connect = [{ via = \"up\" }, { resolve = \"127.0.0.1\" }]")
                + rule("b", "connect = [{ via = \"direct\" }, { client_certificate = \"c\" }]"))
        let decision = run.connect()
        #expect(decision.upstream == .direct && decision.address == "127.0.0.1")
        #expect(decision.clientCertificate == "c" && decision.block == nil)
        #expect(
            decision.notes.applied.compactMap(\.detail) == [
                "upstream up, address 127.0.0.1", "upstream direct, client certificate c",
            ])
    }

    @Test(arguments: [
        ("stop = true\nconnect = [{ tag = \"t\" }]", ["a tagged"], false),
        ("connect = [{ block = \"reset\" }, { tag = \"t\" }]", ["a blocked"], true),
        ("connect = [{ throttle = \"offline\" }]", ["a throttled"], true),
        ("connect = [{ delay_ms = 7 }]", ["a changed", "b changed"], false),
    ])
    func `connect rules after one that stops, blocks or simulates being offline are skipped`(
        _ first: String, _ outcomes: [String], _ isBlocked: Bool
    ) throws {
        var run = try run(rule("a", first) + rule("b", "connect = [{ via = \"direct\" }]"))
        let decision = run.connect()
        #expect(decision.notes.applied.map { "\($0.rule) \($0.outcome)" } == outcomes)
        #expect((decision.block != nil) == isBlocked)
    }

    @Test(arguments: [
        ("connect = [{ tag = \"t\" }]", ["a unchanged"]),
        ("connect = [{ tag = \"t\" }]\nenabled = false", []),
        ("request = [{ tag = \"t\" }]", []),
    ])
    func `a connection is a hit of a stop-only rule only if the rule stops a later connect rule`(
        _ later: String, _ outcomes: [String]
    ) throws {
        var run = try run(rule("a", "when = 'host=a.test'\nstop = true") + rule("b", later))
        #expect(run.connect().notes.applied.map { "\($0.rule) \($0.outcome)" } == outcomes)
    }

    @Test(arguments: [
        ("host=A.TEST.", true), ("host=b.test", false), ("port=443", true), ("port<443", false),
        ("client:10.0.0.5", true), ("process=curl", true), ("process=wget", false),
        ("scheme=tunnel", true), ("not scheme=https", true), ("user=alice", false),
    ])
    func `a connect rule's filter tests the client, process and requested host and port`(
        _ filter: String, _ isMatched: Bool
    ) throws {
        var run = try run(rule("a", "when = '\(filter)'\nconnect = [{ tag = \"t\" }]"))
        #expect(run.connect().notes.tags == (isMatched ? ["t"] : []))
    }

    @Test func `the filter of a connect rule can test the user and the listener of a connection`()
        throws
    {
        let rules =
            rule("a", "when = 'user=alice'\nconnect = [{ tag = \"user\" }]")
            + rule("b", "when = 'listener=\"[::1]:8080\"'\nconnect = [{ tag = \"listener\" }]")
        var known = try run(rules) {
            $0.user = "alice"
            $0.listener = "[::1]:8080"
        }
        #expect(known.connect().notes.tags == ["user", "listener"])
        var unknown = try run(rules)
        #expect(unknown.connect().notes.tags.isEmpty)
    }

    @Test func `a rule with actions in all three phases counts an exchange as one hit`() throws {
        let rules = rule(
            "a",
            "limit = 1\nconnect = [{ tag = \"c\" }]\nrequest = [{ tag = \"q\" }]\n"
                + "response = [{ tag = \"s\" }]")
        let request = Array("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        let set = try RulesFile.read(rules, file: "f", now: 0)
        var first = try RuleExchange(set, request)
        first.send()
        try first.answer(answer)
        #expect(first.tags == ["c", "q", "s"])
        var second = try RuleExchange(set, request, hits: ["a": 1])
        second.send()
        try second.answer(answer)
        #expect(second.tags.isEmpty && second.applied.isEmpty)
    }

    @Test func `a request whose body is buffered counts as one hit of a rule`() throws {
        let rules = rule(
            "a", "limit = 1\nrequest = [{ set = \"body\", value = \"x\" }, { tag = \"t\" }]")
        let request = "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nab"
        var exchange = try RuleExchange(
            try RulesFile.read(rules, file: "f", now: 0), Array(request.utf8))
        exchange.send()
        #expect(exchange.heldBodies == [.request] && exchange.tags == ["t"])
        #expect(exchange.sent?.text.hasSuffix("\r\n\r\nx") == true)
    }

    @Test func `rules with and without a host in their filters act in the order of the file`()
        throws
    {
        let rules =
            rule("a", "when = 'host=a.test'\nconnect = [{ tag = \"1\" }]")
            + rule("b", "connect = [{ tag = \"2\" }]")
            + rule("c", "when = 'host=b.test'\nconnect = [{ tag = \"3\" }]")
            + rule("d", "when = 'host=A.test and port=443'\nconnect = [{ tag = \"4\" }]")
            + rule("e", "when = 'host=a.test or host=b.test'\nconnect = [{ tag = \"5\" }]")
        for host in ["a.test", "A.TEST", "a.test."] {
            var run = try run(rules, host: host)
            #expect(run.connect().notes.tags == ["1", "2", "4", "5"], "\(host)")
        }
        var other = try run(rules, host: "c.test")
        #expect(other.connect().notes.tags == ["2"])
    }

    @Test(arguments: [
        ("method=GET", true), ("host=b.test", false), ("scheme=http", true),
        ("path:/x and host=a.test", true), ("reqbody:a", false), ("status=200", false),
        ("reqheader.Accept=text/html", true), ("~m get", true), ("id>0", false),
    ])
    func `before its body arrives, a request matches a filter only if the head alone decides it`(
        _ filter: String, _ passes: Bool
    ) throws {
        let bytes = "GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\nAccept: text/html\r\n\r\n"
        let head = try HeadParser.parseRequestHead(Array(bytes.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let connection = RuledConnection(
            client: "", process: nil, host: "a.test", port: 80, scheme: "http", startedAtNs: 0)
        let begun = BegunRequest(head, url, over: connection)
        #expect(begun.passes(try Filter.parse(filter, now: 0)) == passes)
    }
}
