import ProxydHTTPModel
import ProxydInterchange
import Testing

/// Heads that are composed of the names and values in a HAR log.
struct HARHeadTests {
    private func head(
        _ headers: String, version: String = "HTTP/1.1", method: String = "GET",
        url: String = "http://a.test/"
    ) throws -> RequestHead {
        let imported = try HARText.imported(
            HARText.entry(url: url, method: method, version: version, headers: headers))
        return try #require(imported.exchange.request.head)
    }

    private func lines(_ head: RequestHead) -> [String] {
        head.fields.pairs.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        (#"a=1\nb=2"#, ["a=1", "b=2"]), (#"a=1\r\nb=2"#, ["a=1", "b=2"]),
        (#"  a=1 \n\tb=2\t"#, ["a=1", "b=2"]), (#"a=1\n"#, ["a=1", ""]), ("", [""]),
        (#"a\u0301=1\nb"#, ["a\u{301}=1", "b"]),
    ])
    func `a HAR header value with line breaks becomes several header fields`(
        written: String, values: [String]
    ) throws {
        let headers = #"{"name":"set-cookie","value":"\#(written)"}"#
        let imported = try HARText.imported(
            HARText.entry(response: #"{"status":200,"headers":[\#(headers)]}"#))
        let head = try #require(imported.exchange.response?.head)
        #expect(head.fields.values(named: "Set-Cookie") == values)
    }

    @Test(arguments: [
        #"{"name":"a b","value":"x"}"#, #"{"name":"a:","value":"x"}"#,
        #"{"name":"","value":"x"}"#, #"{"name":"é","value":"x"}"#,
        #"{"name":"a\r\nb","value":"x"}"#, #"{"name":"a","value":"x\u0000"}"#,
        #"{"name":"a","value":"x\ry"}"#, #"{"name":"a","value":"\u007f"}"#, #"{"value":"x"}"#,
        "17", "null",
    ])
    func `an invalid HAR header is left out and the exchange is tagged missing-header`(
        header: String
    ) throws {
        let headers = header + #",{"name":"B","value":"1"}"#
        let sent = try HARText.imported(HARText.entry(headers: headers)).exchange
        #expect(sent.request.head?.fields.pairs.map(\.name) == ["Host", "B"])
        #expect(sent.annotations.tags == ["rebuilt-head", "missing-header"])
        let response = #"{"status":200,"headers":[\#(headers)]}"#
        let received = try HARText.imported(HARText.entry(response: response)).exchange
        #expect(received.response?.head.fields.pairs.map(\.name) == ["B"])
        #expect(received.annotations.tags == ["rebuilt-head", "missing-header"])
    }

    @Test func `a HAR request without Host gets one from its URL as its first field`() throws {
        #expect(
            lines(try head(#"{"name":"A","value":"1"}"#, url: "http://a.test:8080/"))
                == ["Host: a.test:8080", "A: 1"])
        #expect(
            lines(try head(#"{"name":"hOST","value":"b.test"}"#)) == ["hOST: b.test"])
    }

    @Test(arguments: ["h2", "H2", "HTTP/2", "http/2.0", "h2c"])
    func `the HAR importer recognizes every spelling of HTTP/2`(version: String) throws {
        let head = try head(
            #"{"name":"Connection","value":"x"},{"name":"Accept","value":"y"}"#, version: version,
            url: "https://a.test/p?q")
        #expect(head.version == .http2)
        #expect(head.authority == "a.test")
        #expect(head.targetText == "/p?q")
        // RFC 9113 §8.2: names are in lower case, and fields of a connection are forbidden.
        #expect(lines(head) == ["accept: y"])
    }

    @Test(arguments: [
        ("HTTP/1.0", HTTPVersion.http10), ("http/1.0", .http10), ("unknown", .http11),
        ("", .http11), ("HTTP/0.9", .http11), ("spdy/3", .http11),
    ])
    func `the HAR importer treats entries with an unknown HTTP version as HTTP/1`(
        text: String, version: HTTPVersion
    ) throws {
        #expect(try head("", version: text).version == version)
    }

    @Test(arguments: ["h3", "HTTP/3", "http/3.0", "h3-29", "http/2+quic/43"])
    func `the HAR importer recognizes every spelling of HTTP/3, including draft names`(
        version: String
    ) throws {
        let response =
            #"{"status":200,"httpVersion":"\#(version)","headers":[{"name":"A","value":"1"}]}"#
        let exchange = try HARText.imported(HARText.entry(version: version, response: response))
            .exchange
        #expect(exchange.request.head?.version == .http3)
        #expect(exchange.request.head?.authority == "a.test")
        #expect(exchange.response?.head.version == .http3)
        #expect(exchange.response?.head.fields.pairs.map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("http://me:pass@a.test/x", "http://a.test/x"),
        ("http://me@b@a.test/x@y", "http://a.test/x@y"), ("http://a.test?q#f", "http://a.test/?q"),
        ("https://a.test:443/", "https://a.test/"), ("HTTP://A.TEST/X", "http://A.TEST/X"),
        ("http://a.test/a b\u{E9}", "http://a.test/a%20b%C3%A9"),
        ("WSS://a.test/s", "https://a.test/s"), ("ws://a.test:81/", "http://a.test:81/"),
        ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://a.test/%zz{}|", "http://a.test/%zz{}|"),
    ])
    func `the HAR importer normalizes a URL to the form in which a client sends it`(
        written: String, sent: String
    ) throws {
        let exchange = try HARText.imported(HARText.entry(url: written)).exchange
        #expect(exchange.request.url?.description == sent)
    }

    @Test(arguments: [
        "ftp://a.test/", "file:///etc/passwd", "blob:http://a.test/1", "chrome-extension://abc/x",
        "", "/x", "//a.test/x", "javascript:1",
    ])
    func `a HAR entry whose URL scheme is not HTTP or HTTPS is rejected`(url: String) throws {
        #expect(
            try HARText.refusal(HARText.entry(url: url))
                == "its URL is not an http or https one")
    }

    @Test(arguments: ["tunnel://a.test:443", "https://a.test", "a.test:443", "http://a.test:443/"])
    func `a HAR CONNECT request is imported as a tunnel, however its URL is written`(url: String)
        throws
    {
        let entry = HARText.entry(url: url, method: "CONNECT", version: "h2")
        let request = try HARText.imported(entry).exchange.request
        #expect(request.url == .tunnel(host: "a.test", port: 443))
        #expect(request.head?.targetText == "a.test:443")
        #expect(request.head?.version == .http11)
    }

    @Test(arguments: [
        ("OK", "OK"), ("", ""), ("Not \u{E9}", "Not \u{E9}"), (#"A\r\nX: y"#, ""), (#"\u0000"#, ""),
    ])
    func `an invalid reason phrase in HAR is left out`(written: String, kept: String) throws {
        let imported = try HARText.imported(
            HARText.entry(response: #"{"status":200,"statusText":"\#(written)"}"#))
        #expect(imported.exchange.response?.head.reason == kept)
    }

    @Test(arguments: [1, 99, 1_000, 9_223_372_036_854_775_807])
    func `a HAR response whose status is not three digits is kept as raw bytes`(
        status: Int
    ) throws {
        let response =
            #"{"status":\#(status),"headers":[{"name":"A","value":"b"}],"content":{"text":"c"}}"#
        let exchange = try HARText.imported(HARText.entry(response: response)).exchange
        #expect(exchange.response == nil)
        #expect(exchange.failure?.message == "the status of its response is not valid")
        #expect(exchange.failure?.origin == .proxy)
        #expect(
            exchange.responseFault?.refusal?.bytes
                == Array("HTTP/1.1 \(status)\r\nA: b\r\n\r\nc".utf8))
    }

    @Test func `a HAR response with a body but no status is kept as raw bytes`() throws {
        let exchange = try HARText.imported(
            HARText.entry(response: #"{"content":{"text":"c"}}"#)
        ).exchange
        #expect(exchange.state == .failed)
        #expect(
            exchange.responseFault?.refusal?.bytes == Array("HTTP/1.1\r\n\r\nc".utf8))
    }

    @Test(arguments: ["0", "-1", "null", #""none""#, "200.5", "1e300"])
    func `a HAR entry with an unreadable status is imported as failed without a response`(
        status: String
    ) throws {
        let exchange = try HARText.imported(
            HARText.entry(response: #"{"status":\#(status),"_error":"net::ERR_ABORTED"}"#)
        ).exchange
        #expect(exchange.response == nil)
        #expect(exchange.state == .failed)
        #expect(exchange.failure?.message == "net::ERR_ABORTED")
    }
}

/// When, and between whom, an entry of a HAR log happened.
struct HARPlaceTests {
    private func exchange(
        _ more: String, response: String = #"{"status":204}"#
    ) throws -> Exchange {
        try HARText.imported(HARText.entry(response: response, more: ",\(more)")).exchange
    }

    @Test(arguments: [
        "bad.cafe", "cafe", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::1::", ":::", "", "[]", "/",
        "\u{FF11}.2.3.4", "fe80::1%eth0", "a.test/b.test",
    ])
    func `the HAR importer ignores an invalid server address`(address: String) throws {
        #expect(try exchange(#""serverIPAddress":"\#(address)""#).server == nil)
    }

    @Test func `HAR timing phases are placed one after another, and unknown phases take no time`()
        throws
    {
        let timeline = try exchange(
            #"""
            "time":99,"timings":{"blocked":-1,"dns":2.5,"connect":-1,"ssl":-1,"send":0,"wait":40,
            "receive":1e300}
            """#
        ).timeline
        #expect(timeline.connectionReused)
        #expect(timeline.dns == 2_500_000)
        #expect(timeline.connect == nil && timeline.tls == nil)
        #expect(timeline.send == 0)
        #expect(timeline[.responseFirstByte] == 42_500_000)
        #expect(timeline.receive == 0)
        // The whole took longer than the phases that are known.
        #expect(timeline.totalDuration == 99_000_000)
    }

    @Test
    func `a HAR ssl time longer than the connect time does not make the connect time negative`()
        throws
    {
        let timeline = try exchange(#""timings":{"connect":10,"ssl":30,"wait":1}"#).timeline
        #expect(timeline.connect == 0)
        #expect(timeline.tls == 30_000_000)
        #expect(!timeline.connectionReused)
    }

    @Test func `a HAR entry without a response has an end time but no response times`() throws {
        let timeline = try exchange(
            #""time":7,"timings":{"send":1,"wait":5,"receive":1}"#, response: #"{"status":0}"#
        ).timeline
        #expect(timeline[.ended] == 7_000_000)
        #expect(timeline[.delivered] == nil)
        #expect(timeline[.responseFirstByte] == nil)
    }

    private static let written = #""2024-01-01T00:00:00Z""#

    @Test(arguments: [
        #""yesterday""#, #""2024-13-01T00:00:00Z""#, #""""#, "null", "true", "0", "-5", "1e300",
        #""0001-01-01T00:00:00.0000000+00:00""#, #""nan""#,
    ])
    func `a HAR entry without a valid start time is imported and tagged missing-time`(time: String)
        throws
    {
        let entry = HARText.entry().replacing(HARPlaceTests.written, with: time)
        let exchange = try HARText.imported(entry).exchange
        #expect(exchange.timeline.wallStart == 0)
        #expect(exchange.annotations.tags == ["rebuilt-head", "missing-time"])
    }

    @Test(arguments: [
        "1704067200", "1704067200.0", "1704067200000", #""1704067200""#,
        #""Mon, 01 Jan 2024 00:00:00 GMT""#,
    ])
    func `the HAR importer also reads start times as numbers or HTTP dates`(time: String) throws {
        let entry = HARText.entry().replacing(HARPlaceTests.written, with: time)
        let exchange = try HARText.imported(entry).exchange
        #expect(exchange.timeline.wallStart == 1_704_067_200_000_000_000)
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }
}
