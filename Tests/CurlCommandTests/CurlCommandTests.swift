import ProxydCurlCommand
import ProxydHTTPModel
import ProxydRedaction
import Testing

/// What commands look like.
struct CurlCommandTests {
    private func text(
        _ head: String, body: String = "", scheme: String = "http",
        options: CurlOptions = CurlOptions()
    ) -> String? {
        let request = CapturedRequest.make(
            head, scheme: scheme, host: "h", port: scheme == "https" ? 443 : 80,
            body: Array(body.utf8))
        return CurlCommand(request, options: options)?.text(.oneLine)
    }

    private let url = RawURL(scheme: "https", host: "h", port: 443, origin: Array("/get".utf8))

    @Test func `a curl command's description begins with $ curl -v and ends with the quoted URL`() {
        let command = CurlCommand(method: .get, url: url, fields: HeaderFields([("A", "b")]))
        #expect(
            command?.description == "$ curl -v \\\n\t-X GET \\\n\t-H 'A: b' \\\n\t'https://h/get'")
    }

    @Test func `a curl command for an unsent request leaves curl's default header fields enabled`()
    {
        let command = CurlCommand(method: .post, url: url, fields: HeaderFields())
        #expect(command?.text(.oneLine) == "curl -X POST 'https://h/get'")
    }

    @Test
    func `a curl command for a captured request omits the Host and version that curl sends anyway`()
    {
        let own = "GET / HTTP/1.1\nHost: h\nUser-Agent: u\nAccept: */*"
        #expect(text(own) == "curl -X GET -H 'User-Agent: u' -H 'Accept: */*' 'http://h/'")
    }

    @Test func `a curl command for an HTTPS request sets the HTTP version`() {
        let own = "GET / HTTP/1.1\nHost: h\nUser-Agent: u\nAccept: */*"
        #expect(text(own, scheme: "https")?.hasPrefix("curl -X GET --http1.1 ") == true)
    }

    @Test
    func `a curl command for an HTTP/2 request uses HTTP/2, and sets Host if :authority differs`() {
        let own = "GET / HTTP/1.1\nUser-Agent: u\nAccept: */*"
        func command(_ authority: String, scheme: String) -> String? {
            var request = CapturedRequest.make(own, scheme: scheme, host: "h", port: 80)
            guard let head = request.head else { return nil }
            let lines = HeaderFields([(":authority", authority)])
            request.head = RequestHead(
                bytes: lines.bytes + head.bytes,
                method: .get, targetRange: 0..<0, version: .http2, pseudoFields: lines.lines,
                fields: HeaderFields([("host", authority)]))
            return CurlCommand(request)?.text(.oneLine)
        }
        #expect(command("h", scheme: "http")?.contains("--http2-prior-knowledge -H 'User-") == true)
        #expect(command("x:1", scheme: "http")?.contains(" -H 'Host: x:1' -H 'User-") == true)
    }

    @Test func `a curl command for a proxied request addresses the server and omits proxy fields`()
    {
        let command = text(
            """
            GET http://h/a?b HTTP/1.1
            Host: h
            Proxy-Connection: keep-alive
            Proxy-Authorization: Basic QTpC
            User-Agent: u
            Accept: a
            """)
        #expect(command == "curl -X GET -H 'User-Agent: u' -H 'Accept: a' 'http://h/a?b'")
    }

    @Test func `a curl command for an IPv6 address turns off globbing`() {
        let url = RawURL(scheme: "http", host: "::1", port: 8080, origin: [0x2F])
        let command = CurlCommand(method: .get, url: url, fields: HeaderFields())
        #expect(command?.text(.oneLine) == "curl -X GET --globoff 'http://[::1]:8080/'")
    }

    @Test func `terminal control characters in a curl command are written as octal escapes`() {
        let command = text(
            "POST / HTTP/1.1\nHost: h\nUser-Agent: \u{9B}1m\nAccept: a\nContent-Type: t\n"
                + "Content-Length: 4", body: "\u{1B}[1m")
        #expect(
            command == #"printf '\033[1m' | curl -X POST -H "$(printf 'User-Agent: \302\2331m')" "#
                + "-H 'Accept: a' -H 'Content-Type: t' "
                + "--data-binary @- 'http://h/'")
    }

    @Test func `there is no curl command for a CONNECT or for a request without a head`() {
        let request = CapturedRequest.make("CONNECT h:443 HTTP/1.1\nHost: h:443", port: 443)
        #expect(CurlCommand(request) == nil)
        #expect(CurlCommand(Request(url: url, head: nil)) == nil)
        #expect(CurlCommand(method: .connect, url: url, fields: HeaderFields()) == nil)
    }

    @Test func `a curl command for an upgraded request has no body`() throws {
        var request = CapturedRequest.make(
            "GET /chat HTTP/1.1\nHost: h\nUser-Agent: u\nAccept: a\nConnection: Upgrade\n"
                + "Upgrade: websocket", host: "h", port: 80)
        request.body.byteCount = 500
        let command = try #require(CurlCommand(request))
        #expect(command.omissions == [])
        #expect(
            command.text(.oneLine) == "curl -X GET -H 'User-Agent: u' -H 'Accept: a' "
                + "-H 'Connection: Upgrade' -H 'Upgrade: websocket' 'http://h/chat'")
    }

    @Test func `a curl command reports the trailers and body bytes that it omits`() throws {
        var request = CapturedRequest.make(
            "POST / HTTP/1.1\nHost: h\nContent-Length: 9", port: 80, body: [0x61])
        request.body.byteCount = 9
        request.trailers = HeaderFields([("T", "1")])
        let command = try #require(CurlCommand(request))
        #expect(command.omissions == [.bodyEnd(byteCount: 8), .trailers])
        #expect(!command.text(.oneLine).contains("Content-Length"))
    }

    @Test func `a curl command for a request with Content-Length 0 leaves that field to curl`() {
        func command(_ method: String) -> CurlCommand? {
            let head = "\(method) / HTTP/1.1\nHost: h\nAccept: a\nUser-Agent: u\nContent-Length: 0"
            return CurlCommand(CapturedRequest.make(head, port: 80))
        }
        #expect(command("POST")?.text(.oneLine).contains(" --data-binary '' 'http://") == true)
        #expect(command("HEAD")?.text(.oneLine).contains(" --head 'http://") == true)
        for method in ["POST", "HEAD"] {
            #expect(command(method)?.omissions == [])
            #expect(command(method)?.text(.oneLine).contains("Content-Length") == false)
        }
        let cut = CurlCommand(
            CapturedRequest.make("POST / HTTP/1.1\nHost: h\nContent-Length: 9", port: 80))
        #expect(cut?.omissions == [.contentLength])
    }

    @Test func `a curl command omits and reports header fields with a line break or a NUL`() throws
    {
        let fields = HeaderFields([("A", "b\nc"), ("B", "\0"), ("C", "d")])
        let command = try #require(CurlCommand(method: .get, url: url, fields: fields))
        #expect(command.omissions == [.field(name: "A"), .field(name: "B")])
        #expect(command.text(.oneLine) == "curl -X GET -H 'C: d' 'https://h/get'")
    }

    @Test func `a curl command can include credentials, cookies and a body file, or omit the body`()
        throws
    {
        func text(_ body: CurlBody, _ options: CurlOptions) -> String? {
            let fields = HeaderFields([("Content-Length", "7")])
            return CurlCommand(
                method: .put, url: url, fields: fields, body: body, options: options
            )?.text(.oneLine)
        }
        let shown = CurlOptions(
            redaction: nil, isHeadComplete: false, user: CurlUser(name: "u", password: "p"),
            cookies: Array("a=b;c=d".utf8))
        #expect(
            text(.file(path: "/it's"), shown)
                == "curl -X PUT -u 'u:p' -b 'a=b;c=d' --data-binary '@/it'\\''s' 'https://h/get'")
        var hidden = shown
        hidden.redaction = Redaction()
        #expect(
            text(.omitted, hidden)
                == "curl -X PUT -u 'u:REDACTED' -b 'a=REDACTED;c=REDACTED' 'https://h/get'")
    }

    @Test func `a curl command for a HEAD with a body omits the body`() throws {
        let request = CapturedRequest.make(
            "HEAD / HTTP/1.1\nHost: h\nAccept: a\nUser-Agent: u\nContent-Length: 1",
            host: "h", port: 80, body: [0x61])
        let command = try #require(CurlCommand(request))
        #expect(command.omissions.contains(.bodyOfHead))
        #expect(command.text(.oneLine).contains("-X HEAD -H 'Accept: a' -H 'User-Agent: u' --head"))
    }
}

/// Requests as a capture has them.
enum CapturedRequest {
    /// A request of a head whose lines end in line feeds, to a server on the loopback interface.
    static func make(
        _ head: String, scheme: String = "http", host: String = "127.0.0.1", port: UInt16,
        body: [UInt8] = []
    ) -> Request {
        make(
            bytes: Array((head.replacing("\n", with: "\r\n") + "\r\n\r\n").utf8), scheme: scheme,
            host: host, port: port, body: body)
    }

    static func make(
        bytes: [UInt8], scheme: String = "http", host: String = "127.0.0.1", port: UInt16,
        body: [UInt8]
    ) -> Request {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let parts = lines.removeFirst().split(separator: 0x20)
        let head = RequestHead(
            bytes: bytes, method: HTTPMethod(rawValue: ASCII.text(parts[0])),
            targetRange: parts[1].startIndex..<parts[1].endIndex,
            version: parts[2].starts(with: "HTTP/1.0".utf8) ? .http10 : .http11,
            fields: HeaderFields(bytes: bytes, lines: lines.compactMap(line)))
        let target = Array(head.target)
        let url = RawURL(scheme: scheme, host: host, port: port, origin: origin(of: target))
        return Request(url: url, head: head, body: Body(body))
    }

    private static func origin(of target: [UInt8]) -> [UInt8] {
        guard target.starts(with: "http://".utf8) else { return target }
        let behind = target.dropFirst(7)
        return behind.firstIndex(of: UInt8(ascii: "/")).map { Array(behind[$0...]) } ?? [0x2F]
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> HeaderFields.Line? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let all = Array(bytes)
        let value = ASCII.trimmingOWS(all.span, (colon - bytes.startIndex + 1)..<(all.count - 1))
        let name = Array(bytes[..<colon])
        func place(_ index: Int) -> UInt32 { UInt32(bytes.startIndex + index) }
        return HeaderFields.Line(
            start: place(0), nameEnd: place(name.count), valueStart: place(value.lowerBound),
            valueEnd: place(value.upperBound), end: place(all.count + 1),
            name: FieldName(name.span))
    }
}
