import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// What Fiddler tells about a session in XML, which anyone may have changed.
struct FiddlerFactsTests: FiddlerReading {
    private func exchange(
        _ facts: String, response: String = "HTTP/1.1 204 No Content\r\n\r\n"
    ) throws -> Exchange {
        let archive = ZIPArchive([
            ("raw/1_c.txt", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            ("raw/1_m.xml", facts), ("raw/1_s.txt", response),
        ])
        return try #require(try entries(archive).first).get().exchange
    }

    private func note(_ flag: String) throws -> String? {
        try exchange("<Session><SessionFlags>\(flag)</SessionFlags></Session>").annotations.note
    }

    @Test(arguments: [
        (#"<SessionFlag N="ui-comments" V="a"/>"#, "a"),
        ("<SessionFlag N='UI-Comments' V='it is \"a\"'/>", "it is \"a\""),
        ("<SessionFlag\n\tN = \"ui-comments\"\n V\n=\n\"a\" />", "a"),
        (#"<SessionFlag V="a>b" N="ui-comments"></SessionFlag>"#, "a>b"),
        (#"<SessionFlag N="ui-comments" V="&#65;&#x42;&#X43;&amp;&apos;&quot;"/>"#, #"ABC&'""#),
        (
            #"<SessionFlag N="ui-comments" V="&none;&#x110000;&#xD800;&;&"/>"#,
            "&none;&#x110000;&#xD800;&;&"
        ),
        (#"<SessionFlag N="ui-comments" V="&amp;lt;"/>"#, "&lt;"),
        (#"<SessionFlag N="x" V="N='ui-comments'"/><SessionFlag N="ui-comments" V="b"/>"#, "b"),
    ])
    func `the Fiddler importer reads session flags however their XML is written`(
        flag: String, note: String
    )
        throws
    {
        #expect(try self.note(flag) == note)
    }

    @Test(arguments: [
        "", "<", "<SessionFlag", #"<SessionFlag N="ui-comments" V="a"#,
        #"<SessionFlag N="ui-comments" V=a/>"#, #"<SessionFlag N="ui-comments"/>"#,
        #"<SessionFlag N="ui-comments" V=""/>"#, #"<SessionFlag V="a"/>"#,
        #"<!-- <SessionFlag N="ui-comments" V="a"/> -->"#,
        #"<SessionFlags N="ui-comments" V="a"/>"#, "<!DOCTYPE x [<!ENTITY a 'b'>]>",
    ])
    func `a Fiddler session with empty or malformed XML flags is imported without a note`(
        flag: String
    ) throws {
        #expect(try note(flag) == nil)
    }

    private func timers(_ attributes: String) -> String {
        "<Session><SessionTimers \(attributes)/></Session>"
    }

    @Test func `a Fiddler session without a valid start time is tagged missing-time`() throws {
        for start in [
            "", #"ClientBeginRequest="0001-01-01T00:00:00""#,
            #"ClientBeginRequest="0001-01-01T00:00:00.0000000+00:00""#,
            #"ClientBeginRequest="soon""#,
        ] {
            let exchange = try exchange(timers(start))
            #expect(exchange.annotations.tags == ["missing-time"])
            #expect(exchange.timeline.wallStart == 0)
        }
        let connected = try exchange(timers(#"ClientConnected="2026-11-23T01:00:00+00:00""#))
        #expect(connected.timeline.wallStart == 1_795_395_600_000_000_000)
        #expect(connected.annotations.tags == ["missing-time"])
    }

    private static let begin = #"ClientBeginRequest="2026-11-23T01:00:00+00:00" "#

    @Test
    func `a Fiddler session on an already open connection is marked as reusing it`()
        throws
    {
        let reused = try exchange(
            timers(
                FiddlerFactsTests.begin
                    + #"ServerConnected="2026-11-23T00:59:00+00:00" TCPConnectTime="5""#)
        ).timeline
        #expect(reused.connectionReused)
        #expect(reused.connect == nil)
    }

    @Test(arguments: [
        // TLS after the moment, where there is room before the request goes on.
        ("00.100", "00.200", 50, 100, 150, 60), ("00.100", "00.120", 50, 50, 100, 10),
    ])
    func `the Fiddler importer places TCP and TLS phases so that they end before the request`(
        connected: String, begun: String, tls: Int, tlsStart: Int64, tlsEnd: Int64, connect: Int64
    ) throws {
        let timeline = try exchange(
            timers(
                FiddlerFactsTests.begin
                    + #"ServerConnected="2026-11-23T01:00:\#(connected)+00:00" "#
                    + #"FiddlerBeginRequest="2026-11-23T01:00:\#(begun)+00:00" "#
                    + #"TCPConnectTime="40" HTTPSHandshakeTime="\#(tls)""#)
        ).timeline
        #expect(timeline[.tlsStart] == tlsStart * 1_000_000)
        #expect(timeline[.tlsEnd] == tlsEnd * 1_000_000)
        #expect(timeline[.connectStart] == connect * 1_000_000)
    }

    @Test(arguments: ["-5", "99999999999999999999", "1000000000", "5.5", "", "0"])
    func `the Fiddler importer ignores a connect time that is invalid or zero`(text: String) throws
    {
        let timeline = try exchange(
            timers(
                FiddlerFactsTests.begin
                    + #"ServerConnected="2026-11-23T01:00:01+00:00" TCPConnectTime="\#(text)""#)
        ).timeline
        #expect(timeline.connect == nil && timeline[.connectStart] == nil)
    }

    private func flags(_ pairs: [(String, String)]) -> String {
        pairs.map { #"<SessionFlag N="\#($0.0)" V="\#($0.1)"/>"# }.joined()
    }

    @Test(arguments: [
        ("127.0.0.1", "4000", "127.0.0.1:4000"), ("::1", "4000", "[::1]:4000"),
        ("127.0.0.1", "70000", "127.0.0.1"), ("127.0.0.1", "", "127.0.0.1"),
        ("a.test", "1", nil), ("::ffff:", "1", nil), ("", "1", nil), ("fe80::1%3", "1", nil),
    ])
    func `the Fiddler importer keeps a client address only if it is valid`(
        host: String, port: String, address: String?
    ) throws {
        let exchange = try exchange(flags([("x-clientIP", host), ("x-clientport", port)]))
        #expect(exchange.client?.peerAddress == address)
    }

    @Test(arguments: [
        ("curl:4711", 4_711, "curl"), ("a b:1", 1, "a b"), ("curl", nil, nil), ("curl:x", nil, nil),
        ("a:b:1", nil, nil), ("curl:99999999999", nil, nil),
    ])
    func `the Fiddler importer keeps the client process only if name and process ID are valid`(
        text: String, pid: Int32?, name: String?
    ) throws {
        let exchange = try exchange(
            flags([("x-clientip", "127.0.0.1"), ("x-processinfo", text)]))
        #expect(exchange.client?.process?.pid == pid)
        #expect(exchange.client?.process?.name == name)
    }

    @Test func `a Fiddler session whose XML is too long is rejected without affecting others`()
        throws
    {
        var archive = ZIPArchive()
        for number in 1...2 {
            archive.add(
                "raw/\(number)_c.txt", Array("GET http://a.test/ HTTP/1.1\r\n\r\n".utf8))
            archive.add("raw/\(number)_s.txt", Array("HTTP/1.1 204 No\r\n\r\n".utf8))
        }
        archive.add("raw/1_m.xml", [UInt8](repeating: 0x20, count: (1 << 20) + 1))
        let found = try entries(archive)
        #expect(found.count == 2)
        guard case .failure(let problem)? = found.first else {
            Issue.record("it is read")
            return
        }
        #expect(problem.description == "session 1: a part of it is longer than 1 MiB")
    }
}
