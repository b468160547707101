import ProxydHTTPModel
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Bodies in a HAR log, which come as text, as base64, as parameters, or not at all.
struct HARBodyTests {
    private func request(
        _ data: String, type: String? = nil, more: String = ""
    ) throws -> Exchange {
        let header = type.map { #"{"name":"Content-Type","value":"\#($0)"}"# } ?? ""
        return try HARText.imported(
            HARText.entry(
                method: "POST", headers: header, request: #","postData":\#(data)\#(more)"#)
        ).exchange
    }

    private func response(
        _ content: String, headers: String = "", more: String = ""
    ) throws -> Exchange {
        try HARText.imported(
            HARText.entry(
                response: #"{"status":200,"headers":[\#(headers)],"content":\#(content)\#(more)}"#)
        ).exchange
    }

    @Test func `the HAR importer encodes body text in the charset of its content type`() throws {
        let latin = try response(
            #"{"text":"café"}"#,
            headers: #"{"name":"Content-Type","value":"text/plain; charset=ISO-8859-1"}"#)
        #expect(latin.response?.body.kept == [0x63, 0x61, 0x66, 0xE9])
        // What the charset lacks is kept as UTF-8, whose mark says so.
        let other = try response(
            #"{"text":"日"}"#,
            headers: #"{"name":"Content-Type","value":"text/plain; charset=windows-1252"}"#)
        #expect(other.response?.body.kept == Array("\u{FEFF}日".utf8))
        let unknown = try response(
            #"{"text":"é"}"#,
            headers: #"{"name":"Content-Type","value":"text/plain; charset=x-none"}"#)
        #expect(unknown.response?.body.kept == Array("é".utf8))
    }

    @Test(arguments: ["*", "AA=A", "A", "AAA\u{E9}"])
    func `a HAR response with invalid Base64 is imported without its body and tagged missing-body`(
        text: String
    ) throws {
        let entry = HARText.entry(
            response: #"{"status":200,"content":{"size":9,"encoding":"base64","text":"\#(text)"}}"#)
        let exchange = try HARText.imported(entry).exchange
        #expect(exchange.response?.body == Body(byteCount: 9, kept: []))
        #expect(exchange.annotations.tags == ["rebuilt-head", "missing-body"])
    }

    @Test(arguments: ["-_8=", "-_8", "+/8", #"+\n/ 8="#])
    func `the HAR importer accepts Base64 without padding and in the URL-safe alphabet`(
        text: String
    ) throws {
        let entry = HARText.entry(
            response: #"{"status":200,"content":{"encoding":"base64","text":"\#(text)"}}"#)
        let exchange = try HARText.imported(entry).exchange
        #expect(exchange.response?.body == Body([0xFB, 0xFF]))
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test func `a HAR request body marked as Base64 is decoded, or kept as text if it is invalid`()
        throws
    {
        #expect(
            try request(#"{"mimeType":"a/b","encoding":"BASE64","text":"AP8="}"#).request.body.kept
                == [0, 0xFF])
        #expect(
            try request(#"{"mimeType":"a/b","encoding":"base64","text":"%%"}"#).request.body.kept
                == Array("%%".utf8))
    }

    @Test
    func `the HAR importer adds missing Content-Type and Content-Length to requests with a body`()
        throws
    {
        let plain = try request(#"{"mimeType":"text/csv","text":"a,b"}"#)
        #expect(
            plain.request.head?.fields.pairs.map { "\($0.name): \($0.value)" }
                == ["Host: a.test", "Content-Type: text/csv", "Content-Length: 3"])
        let odd = try request(#"{"mimeType":"a\r\nX: y","text":"a"}"#)
        #expect(odd.request.head?.fields["X"] == nil)
        #expect(odd.request.head?.fields["Content-Type"] == nil)
        let chunked = try HARText.imported(
            HARText.entry(
                method: "POST", headers: #"{"name":"Transfer-Encoding","value":"chunked"}"#,
                request: #","postData":{"text":"a"}"#))
        #expect(chunked.exchange.request.head?.fields["Content-Length"] == nil)
    }

    @Test func `a HAR request with a body size but no body is tagged missing-body`() throws {
        let missing = try HARText.imported(
            HARText.entry(method: "POST", request: #","bodySize":42"#)
        ).exchange
        #expect(missing.request.body == Body(byteCount: 42, kept: []))
        #expect(missing.annotations.tags.contains("missing-body"))
        let empty = try HARText.imported(
            HARText.entry(method: "POST", request: #","bodySize":0,"postData":{"text":""}"#)
        ).exchange
        #expect(!empty.annotations.tags.contains("missing-body"))
        #expect(!empty.request.body.isTruncated)
    }

    @Test
    func `a HAR request loses its Content-Encoding header because its body in HAR is decoded`()
        throws
    {
        let exchange = try HARText.imported(
            HARText.entry(
                method: "POST",
                headers: #"""
                    {"name":"Content-Encoding","value":"gzip"},
                    {"name":"content-length","value":"900"}
                    """#, request: #","postData":{"mimeType":"text/plain","text":"hello"}"#)
        ).exchange
        #expect(exchange.annotations.tags == ["rebuilt-head", "decoded-body"])
        #expect(exchange.request.head?.fields["Content-Encoding"] == nil)
        #expect(exchange.request.head?.fields.values(named: "Content-Length") == ["5"])
    }

    @Test func `the HAR importer builds a form body from parameters if there is no body text`()
        throws
    {
        let bare = try request(
            #"""
            {"mimeType":"application/x-www-form-urlencoded",
            "params":[{"name":"a"},{"value":"=&+"}]}
            """#)
        #expect(bare.request.body.kept == Array("a&=%3D%26%2B".utf8))
        // A boundary names the parts; without one there is nothing to separate them by.
        let none = try request(
            #"{"mimeType":"multipart/form-data","params":[{"name":"a","value":"b c"}]}"#)
        #expect(none.request.body.kept == Array("a=b+c".utf8))
        let text = try request(
            #"{"mimeType":"a/b","text":"raw","params":[{"name":"a","value":"b"}]}"#)
        #expect(text.request.body.kept == Array("raw".utf8))
    }

    @Test func `a part name in HAR cannot inject lines into a multipart body`() throws {
        let exchange = try request(
            #"""
            {"params":[{"name":"a\r\nX: y","fileName":"f\"\n","contentType":"t\r\n\r\nz",
            "value":"v"}]}
            """#, type: "multipart/form-data; boundary=b")
        #expect(
            String(decoding: exchange.request.body.kept, as: UTF8.self)
                == "--b\r\nContent-Disposition: form-data; name=\"a%0D%0AX: y\"; "
                + "filename=\"f%22%0A\"\r\nContent-Type: t%0D%0A%0D%0Az\r\n\r\nv\r\n--b--\r\n")
    }

    @Test
    func `a missing HAR response body is given the larger of content.size and bodySize`()
        throws
    {
        for (size, wire, expected) in [(5, 9, 9), (9, 5, 9), (-1, 7, 7), (7, -1, 7), (0, 0, 0)] {
            let exchange = try response(#"{"size":\#(size)}"#, more: #","bodySize":\#(wire)"#)
            #expect(exchange.response?.body == Body(byteCount: Int64(expected), kept: []))
            #expect(exchange.annotations.tags.contains("missing-body") == (expected > 0))
        }
        let there = try response(#"{"size":900,"text":"a"}"#, more: #","bodySize":900"#)
        #expect(there.response?.body == Body(Array("a".utf8)))
    }
}
