import Foundation
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// Files of other programs, and files that are broken.
struct InterchangeImportTests {
    private func har(_ entries: String...) -> [UInt8] {
        Array(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    private func entry(
        url: String = "http://a.test/", method: String = "GET", request: String = "",
        response: String = #"{"status":204}"#, more: String = ""
    ) -> String {
        #"""
        {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"\#(method)","url":"\#(url)"\#
        \#(request)},"response":\#(response)\#(more)}
        """#
    }

    private func only(_ bytes: [UInt8]) throws -> ImportedExchange {
        let entries = try InterchangeReader.entries(of: bytes)
        #expect(entries.count == 1)
        return try #require(entries.first).get()
    }

    private func problems(_ bytes: [UInt8]) throws -> [String] {
        try InterchangeReader.entries(of: bytes).compactMap {
            if case .failure(let problem) = $0 { "\(problem)" } else { nil }
        }
    }

    // MARK: Other programs

    @Test
    func `the HAR importer handles Chrome's pseudo-headers, joined cookies and decoded content`()
        throws
    {
        let imported = try only(
            har(
                entry(
                    url: "https://a.test/p?q=1#top",
                    request: #"""
                        ,"httpVersion":"h2","headersSize":-1,"headers":[
                        {"name":":method","value":"GET"},
                        {"name":":authority","value":"a.test"},
                        {"name":"accept","value":"*/*"}]
                        """#,
                    response: #"""
                        {"status":200,"statusText":"","httpVersion":"h2","headers":[
                        {"name":"content-encoding","value":"br"},
                        {"name":"content-length","value":"9"},
                        {"name":"set-cookie","value":"a=1; Path=/\nb=2"}],
                        "content":{"size":5,"mimeType":"text/plain","text":"hello"},"bodySize":-1}
                        """#,
                    more: #"""
                        ,"time":60,"timings":{"blocked":1,"dns":-1,"connect":30,"ssl":10,"send":2,
                        "wait":20,"receive":3,"_queued":5},"serverIPAddress":"[::1]"
                        """#)))
        let exchange = imported.exchange
        #expect(exchange.request.url?.description == "https://a.test/p?q=1")
        #expect(exchange.request.head?.version == .http2)
        #expect(exchange.request.head?.fields.pairs.map(\.name) == ["accept"])
        #expect(exchange.request.head?.authority == "a.test")
        #expect(exchange.request.head?.targetText == "/p?q=1")
        let response = try #require(exchange.response)
        #expect(response.head.fields.values(named: "Set-Cookie") == ["a=1; Path=/", "b=2"])
        #expect(response.head.fields["Content-Encoding"] == nil)
        #expect(response.head.fields["Content-Length"] == "5")
        #expect(response.body == Body(Array("hello".utf8)))
        #expect(exchange.timeline.blocked == 1_000_000)
        #expect(exchange.timeline.dns == nil)
        #expect(exchange.timeline.connect == 20_000_000)
        #expect(exchange.timeline.tls == 10_000_000)
        #expect(exchange.timeline.wait == 20_000_000)
        #expect(exchange.timeline.totalDuration == 60_000_000)
        #expect(exchange.server?.peerAddress == "[::1]:443")
        #expect(exchange.state == .complete)
    }

    @Test func `the HAR importer handles Firefox's missing bodies and times with a UTC offset`()
        throws
    {
        let imported = try only(
            har(
                entry(
                    response: #"""
                        {"status":200,"statusText":"OK","httpVersion":"HTTP/2","headers":[],
                        "content":{"mimeType":"image/png","size":1234},"bodySize":1300}
                        """#
                ).replacing("00:00:00Z", with: "01:30:00.250+01:30")))
        #expect(imported.exchange.timeline.wallStart == 1_704_067_200_250_000_000)
        let body = try #require(imported.exchange.response?.body)
        #expect(body.byteCount == 1_300)
        #expect(body.isTruncated)
    }

    @Test func `the HAR importer handles Charles' form parameters, Base64 content and comments`()
        throws
    {
        let form = try only(
            har(
                entry(
                    method: "POST",
                    request: #"""
                        ,"httpVersion":"HTTP/1.0","headers":[],"postData":{"mimeType":
                        "application/x-www-form-urlencoded","params":[{"name":"a b","value":"é&"},
                        {"name":"c","value":""}]}
                        """#,
                    response: #"""
                        {"status":200,"headers":[{"name":"Content-Type","value":"image/gif"}],
                        "content":{"size":3,"encoding":"base64","text":"R0lG"}}
                        """#, more: #","comment":"look at this""#)))
        let request = form.exchange.request
        #expect(request.body.kept == Array("a+b=%C3%A9%26&c=".utf8))
        #expect(request.head?.fields["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.head?.fields["Content-Length"] == "16")
        #expect(request.head?.version == .http10)
        #expect(form.exchange.response?.body.kept == Array("GIF".utf8))
        #expect(form.exchange.annotations.note == "look at this")
        let upload = try only(
            har(
                entry(
                    method: "POST",
                    request: #"""
                        ,"headers":[
                        {"name":"Content-Type","value":"multipart/form-data; boundary=X"}],
                        "postData":{"mimeType":"multipart/form-data","params":[
                        {"name":"f\"","fileName":"a.txt","contentType":"text/plain","value":"hi"}]}
                        """#)))
        #expect(
            String(decoding: upload.exchange.request.body.kept, as: UTF8.self)
                == "--X\r\nContent-Disposition: form-data; name=\"f%22\"; filename=\"a.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\nhi\r\n--X--\r\n")
    }

    @Test(arguments: ["9223372036854775807", "1125899906842625", "-9223372036854775808", "1e300"])
    func `an implausible body size in a HAR or JSON Lines file is ignored`(count: String) throws {
        let log = har(
            entry(
                request: #","headers":[],"bodySize":\#(count)"#,
                response: #"""
                    {"status":200,"headers":[],"content":{"size":\#(count)},"bodySize":\#(count)}
                    """#))
        let line = #"""
            {"id":1,"started_at":"2024-01-01T00:00:00Z","method":"GET","url":"http://a.test/",
            "request":{"headers":[["A","b"]],"body_bytes":\#(count)},
            "response":{"headers":[],"body_bytes":\#(count)},"status":200}
            """#
        for file in [log, Array(line.replacing("\n", with: "").utf8)] {
            let exchange = try only(file).exchange
            #expect(exchange.request.body.byteCount == 0)
            #expect(exchange.response?.body.byteCount == 0)
        }
    }

    @Test func `the HAR importer handles mitmproxy's failed requests and WebSocket URLs`() throws {
        let failed = try only(
            har(entry(response: #"{"status":0,"_error":"connection refused"}"#)))
        #expect(failed.exchange.state == .failed)
        #expect(failed.exchange.response == nil)
        #expect(failed.exchange.failure?.message == "connection refused")
        let socket = try only(har(entry(url: "wss://a.test/chat")))
        #expect(socket.exchange.request.url?.description == "https://a.test/chat")
    }

    // MARK: Bad entries

    @Test func `an invalid entry in an import file is reported by number, and others are imported`()
        throws
    {
        let file = har(
            entry(), #"{"request":{}}"#, "17", entry(url: "data:text/plain,x"), #"{"a":tru}"#,
            entry(request: #","headers":[{"name":"a b","value":"x"}]"#),
            entry(request: #","headers":[{"name":"a","value":"x\u0000y"}]"#),
            entry(method: "GET /"), entry())
        let found = try problems(file)
        #expect(
            found == [
                "entry 2: its request has no URL", "entry 3: it has no request",
                "entry 4: its URL is not an http or https one",
                "entry 5: it is not JSON: line 1, column 9: unexpected character",
            ])
        #expect(try InterchangeReader.entries(of: file).count == 9)
        let lines = Array("{\"id\":1}\n\n{\"id\":\n".utf8)
        #expect(
            try problems(lines) == [
                "line 1: it has no request",
                "line 3: it is not JSON: line 1, column 7: the text ends too early",
            ])
    }

    @Test func `a HAR file that is cut off is imported up to the cut, which is reported`() throws {
        let whole = har(entry(), entry())
        let cut = Array(whole.dropLast(20))
        let entries = try InterchangeReader.entries(of: cut)
        #expect(entries.count == 2)
        #expect(try problems(cut) == ["entry 2: the file ends too early"])
        #expect(
            try problems(Array("{\"log\":{\"version\":\"1.2\"}}".utf8)) == ["it has no log.entries"]
        )
        for nothing in ["", "<html>", "12 apples", "{\"id"] {
            let said = try problems(Array(nothing.utf8))
            #expect(said.count == 1)
            #expect(said.first?.hasPrefix("it is neither HAR nor JSON lines") == true)
        }
        #expect(try problems(har()).isEmpty)
    }

    @Test func `a HAR file read in pieces of any size gives the same exchanges`() throws {
        let entries = [
            entry(more: ##","x":"]}\"{[,""##), "null", entry(more: #","entries":[{"log":[]}]"#),
            "[1,2]",
        ]
        let start = #"{"x":["entries",{"log":{"entries":[1]}}],"log" : {"pages":[{"entries":[1]}],"#
        let file = Array(
            "\u{FEFF} \(start)\"entries\" : [ \(entries.joined(separator: " ,\n")) ] } }".utf8)
        let whole = try InterchangeReader.entries(of: file).map(outcome)
        #expect(whole.count == 4)
        for count in [1, 2, 3, 7, 64] {
            let pieces = try InterchangeReader.entries(of: file, pieceByteCount: count).map(outcome)
            #expect(pieces == whole)
        }
    }

    @Test(arguments: [1, 2, 1_000])
    func `a stray brace in a HAR file counts as an entry of its own, however the file is split`(
        _ count: Int
    ) throws {
        let file = Array(#"{"log":{"entries":[1 } x,{"request":{}}]}}"#.utf8)
        let found = try InterchangeReader.entries(of: file, pieceByteCount: count).map(outcome)
        #expect(
            found == [
                "entry 1: it has no request",
                "entry 2: it is not JSON: line 1, column 1: unexpected character",
                "entry 3: its request has no URL",
            ])
    }

    private func outcome(_ entry: InterchangeReader.WholeEntry) -> String {
        switch entry {
        case .success(let imported): "\(imported.exchange.request.url?.description ?? "")"
        case .failure(let problem): "\(problem)"
        }
    }
}
