import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// Entries of HAR logs in which a field has a value that it should not have: the field is lost, or
/// kept as it is, and the entry stays.
struct HAROddFieldTests {
    private func response(_ more: String) -> String {
        #"{"status":200,"headers":[{"name":"Content-Type","value":"text/plain"}]\#(more)}"#
    }

    private func entry(headers: String) -> String {
        #"""
        {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"GET",
        "url":"http://a.test/","headers":\#(headers)},"response":{"status":204}}
        """#
    }

    @Test(arguments: ["", "G T", "P\u{D6}ST", "GET /y HTTP/1.1"])
    func `a HAR request with an invalid method is kept as a malformed request head`(method: String)
        throws
    {
        let imported = try HARText.imported(
            HARText.entry(url: "http://a.test/x?y", method: method, response: response("")))
        #expect(
            imported.malformedHead?.starts(with: "\(method) /x?y HTTP/1.1\r\n".utf8) == true)
        #expect(imported.exchange.request.url?.description == "http://a.test/x?y")
        #expect(imported.exchange.response?.status == 200)
        #expect(imported.exchange.failure?.kind == .malformedRequest)
        #expect(imported.exchange.failure?.origin == .client)
    }

    @Test func `a HAR request method with line breaks cannot inject a request head`() throws {
        let imported = try HARText.imported(
            HARText.entry(method: #"GET /y HTTP/1.1\r\nHost: b.test\r\n"#))
        let lines = String(decoding: imported.malformedHead ?? [], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines == ["GET /y HTTP/1.1  Host: b.test   / HTTP/1.1", "", ""])
    }

    @Test(arguments: ["http://", "http://a.test:99999/", "http:///x"])
    func `a HAR request with an invalid URL is kept as a malformed request head`(url: String) throws
    {
        let imported = try HARText.imported(HARText.entry(url: url, response: response("")))
        #expect(imported.malformedHead?.starts(with: "GET \(url) HTTP/1.1\r\n".utf8) == true)
        #expect(imported.exchange.request.url == nil)
        #expect(imported.exchange.response?.status == 200)
    }

    @Test(arguments: [
        (#"[{"name":"A","value":12}]"#, "12"), (#"[{"name":"A","value":true}]"#, "true"),
        (#"[{"name":"A","value":null}]"#, ""), (#"[{"name":"A"}]"#, ""),
        (#"{"A":"b"}"#, "b"), (#"{"A":1.5}"#, "1.5"),
    ])
    func `the HAR importer accepts non-string header values and headers given as an object`(
        headers: String, value: String
    )
        throws
    {
        let exchange = try HARText.imported(entry(headers: headers)).exchange
        #expect(exchange.request.head?.fields["A"] == value)
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test(arguments: [
        #"[{"name":"A","value":["b"]}]"#, #"[{"name":7,"value":"b"}]"#, #"["A: b"]"#,
        #"{"A":{}}"#,
    ])
    func `a HAR header of the wrong JSON type is omitted and its exchange tagged missing-header`(
        headers: String
    ) throws {
        let exchange = try HARText.imported(entry(headers: headers)).exchange
        #expect(exchange.request.head?.fields["A"] == nil)
        #expect(exchange.annotations.tags == ["rebuilt-head", "missing-header"])
    }

    @Test func `the HAR importer accepts numbers written as text`() throws {
        let exchange = try HARText.imported(
            HARText.entry(
                response: #"{"status":"200","content":{"size":" 700 "},"bodySize":"-1"}"#,
                more: #","time":"12","timings":{"wait":"5"}"#)
        ).exchange
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body.byteCount == 700)
        #expect(exchange.timeline[.delivered] == 12_000_000)
    }

    @Test(arguments: [
        ("hex", "6f6b", ["unknown-encoding"]), ("Base64 ", "b2s=", []), ("utf-8", "ok", []),
        ("", "ok", []), ("gzip", "ok", ["unknown-encoding"]), ("base64", "?", ["missing-body"]),
    ])
    func `a HAR body in an unknown encoding is kept as written and tagged unknown-encoding`(
        encoding: String, text: String, tags: [String]
    ) throws {
        let exchange = try HARText.imported(
            HARText.entry(
                response: response(
                    #","content":{"text":"\#(text)","encoding":"\#(encoding)"}"#))
        ).exchange
        let isKnown = tags.isEmpty
        let kept = String(decoding: exchange.response?.body.kept ?? [], as: UTF8.self)
        #expect(kept == (isKnown ? "ok" : tags == ["missing-body"] ? "" : text))
        #expect(exchange.annotations.tags == ["rebuilt-head"] + tags)
    }

    @Test
    func `a HAR request body with invalid Base64 is kept as written and tagged unknown-encoding`()
        throws
    {
        let exchange = try HARText.imported(
            HARText.entry(
                method: "POST", request: #","postData":{"text":"a?","encoding":"base64"}"#)
        ).exchange
        #expect(exchange.request.body.kept == Array("a?".utf8))
        #expect(exchange.annotations.tags == ["rebuilt-head", "unknown-encoding"])
    }

    @Test(arguments: ["5", "{}", "[]", "true"])
    func `a HAR body that is not a string is tagged missing-body`(text: String) throws {
        let exchange = try HARText.imported(
            HARText.entry(response: response(#","content":{"size":0,"text":\#(text)}"#))
        ).exchange
        #expect(exchange.response?.body.kept == [])
        #expect(exchange.annotations.tags == ["rebuilt-head", "missing-body"])
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity"])
    func `the HAR importer ignores NaN and Infinity`(number: String) throws {
        let exchange = try HARText.imported(
            HARText.entry(
                response: response(#","content":{"text":"a \"NaN\": NaN"}"#),
                more: #","time":\#(number)"#)
        ).exchange
        #expect(exchange.response?.body.kept == Array(#"a "NaN": NaN"#.utf8))
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test func `invalid UTF-8 in a HAR body is replaced and the exchange is tagged damaged-text`()
        throws
    {
        var log = HARText.log(HARText.entry(response: response(#","content":{"text":"a~b"}"#)))
        let index = try #require(log.firstIndex(of: UInt8(ascii: "~")))
        log[index] = 0xE9
        let exchange = try #require(try InterchangeReader.entries(of: log).first).get().exchange
        #expect(exchange.response?.body.kept == Array("a\u{FFFD}b".utf8))
        #expect(exchange.annotations.tags == ["rebuilt-head", "damaged-text"])
    }

    @Test(arguments: [
        "Wed May 01 2024 12:00:00 GMT+0200 (Central European Summer Time)",
        "Wed, 01 May 2024 08:00:00 -0200", "Wed, 01 May 2024 10:00:00 GMT",
        "2024-05-01 10:00:00 UTC", "2024-05-01T12:00:00 +02:00", " 2024-05-01T10:00:00Z ",
        "1714557600000000", "1714557600000000000", "1714557600000", "1714557600.0",
    ])
    func `the HAR importer reads start times in many date formats and numeric units`(time: String)
        throws
    {
        for written in [#""\#(time)""#] + (Double(time) == nil ? [] : [time]) {
            let entry = #"{"request":{"method":"GET","url":"http://a.test/"},"startedDateTime":"#
            let exchange = try HARText.imported("\(entry)\(written)}").exchange
            #expect(exchange.timeline.wallStart == 1_714_557_600_000_000_000)
        }
    }

    @Test(arguments: [
        "Wed, 01 May 2024 10:00:00 EST", "5/1/2024 10:00:00 AM", "01 May 2024 10:00:00 PM",
        "2024-05-01 10:00:00 +9900", "2024-05-01", "",
    ])
    func `a HAR start time with an unknown time zone or format is tagged missing-time`(time: String)
        throws
    {
        let entry = #"{"request":{"method":"GET","url":"http://a.test/"},"startedDateTime":"#
        let exchange = try HARText.imported(#"\#(entry)"\#(time)"}"#).exchange
        #expect(exchange.timeline.wallStart == 0)
        #expect(exchange.annotations.tags.contains("missing-time"))
    }
}
