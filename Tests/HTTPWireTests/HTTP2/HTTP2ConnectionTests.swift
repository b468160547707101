import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// What a side says of what comes, and what it sends (RFC 9113).
struct HTTP2ConnectionTests {
    private static let post =
        Frames.request(1, method: "POST", path: "/up?q=1", ends: false, [("content-length", "7")])
        + Frames.data(1, "one ") + Frames.data(1, "two", ends: true)

    @Test(arguments: [Int.max, 1, 2, 7, 64])
    func `an HTTP/2 request is received whole however its bytes are split`(pieces: Int) {
        var side = HTTP2Side(.server)
        side.take(Frames.preface + Frames.settings() + Self.post, pieces: pieces)
        #expect(side.error == nil)
        #expect(
            side.takeEvents() == [
                "settings", "1 POST /up?q=1 exactly(7)", "1 body one two", "1 end",
            ])
    }

    @Test func `an HTTP/2 request head keeps the received order of its pseudo-fields and fields`()
        throws
    {
        var connection = HTTP2Connection(.server, options: .init(.server))
        let lines = [
            (":path", "/a"), (":method", "GET"), (":authority", "H.example"), (":scheme", "https"),
            ("cookie", "a=1"), ("x-b", "2"), ("cookie", "c=3"),
        ]
        let input = Frames.preface + Frames.settings() + Frames.headers(1, lines)
        var offset = 0
        var heads: [RequestHead] = []
        while true {
            let event = try connection.receive(input.span, from: &offset, now: 0)
            if case .needsMoreInput = event { break }
            if case .request(_, let head, _) = event { heads.append(head) }
        }
        let head = try #require(heads.first)
        #expect(
            ASCII.text(head.bytes) == lines.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n")
        #expect(head.version == .http2 && head.method == .get && head.targetText == "/a")
        #expect(head.fields.pairs.map(\.name) == ["cookie", "x-b", "cookie"])
        #expect(head.pseudoFields.count == 4 && head.authority == "H.example")
        #expect(head.fields.lines.allSatisfy { $0.coding.representation == .notAdded })
    }

    @Test func `an HTTP/2 response is sent with its body and its trailers`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1))
        let fields = HeaderFields([("Content-Type", "text/plain"), ("Connection", "X"), ("X", "y")])
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: 200, reason: "OK", fields: fields), body: .chunked),
            on: StreamID(rawValue: 1))
        side.connection.send(body: "hello".utf8.span, on: StreamID(rawValue: 1))
        side.connection.end(
            StreamID(rawValue: 1), trailers: HeaderFields([("Grpc-Status", "0")]))
        #expect(
            side.frames() == [
                #"1 HEADERS [":status: 200", "content-type: text/plain"]"#, "1 DATA hello",
                #"1 HEADERS ["grpc-status: 0"] end"#,
            ])
        #expect(side.connection.openStreamCount == 0)
    }

    @Test
    func `an HTTP/2 client sends a request and receives interim responses before the final one`() {
        var side = HTTP2Side.open(.client)
        let head = RequestHead(
            method: .post, target: Array("/".utf8),
            fields: HeaderFields([("Host", "h"), ("TE", "trailers"), ("X-A", "1")]))
        let url = RawURL(scheme: "https", host: "h", port: 443, origin: Array("/".utf8))
        let begun = side.connection.send(ForwardedRequest(head: head, url: url, body: .chunked))
        #expect(begun?.id == StreamID(rawValue: 1))
        side.connection.send(body: "abc".utf8.span, on: StreamID(rawValue: 1))
        side.connection.end(StreamID(rawValue: 1), trailers: nil)
        #expect(
            side.frames() == [
                #"1 HEADERS [":method: POST", ":scheme: https", ":authority: h", "#
                    + #"":path: /", "x-a: 1"]"#,
                "1 DATA abc end",
            ])
        side.take(
            Frames.headers(1, [(":status", "103"), ("link", "</a>")], ends: false)
                + Frames.headers(1, [(":status", "200")], ends: false) + Frames.data(1, "body")
                + Frames.headers(1, [("x-end", "1")]))
        #expect(
            side.takeEvents() == [
                "1 informational 103", "1 200 chunked", "1 body body",
                #"1 trailers [(name: "x-end", value: "1")]"#, "1 end",
            ])
    }

    @Test func `padding and priority in HTTP/2 frames are not part of the message`() {
        var side = HTTP2Side.open(.server)
        let block = Frames.block([
            (":method", "PUT"), (":scheme", "https"), (":authority", "h"), (":path", "/"),
        ])
        side.take(
            Frames.frame(1, flags: 0x2C, stream: 1, [3, 0, 0, 0, 0, 9] + block + [0, 0, 0])
                + Frames.frame(0, flags: 0x09, stream: 1, [2, 0x61, 0x62, 0, 0]))
        #expect(side.takeEvents() == ["1 PUT / chunked", "1 body ab", "1 end"])
    }

    @Test func `a field section may be split anywhere between HEADERS and CONTINUATION`() {
        let block = Frames.block([
            (":method", "GET"), (":scheme", "https"), (":authority", "h"), (":path", "/"),
        ])
        for cut in 0...block.count {
            var side = HTTP2Side.open(.server)
            side.take(
                Frames.frame(1, flags: 1, stream: 1, Array(block[..<cut]))
                    + Frames.frame(9, flags: 4, stream: 1, Array(block[cut...])))
            #expect(side.takeEvents() == ["1 GET / none", "1 end"])
        }
    }

    @Test func `SETTINGS and PING are acknowledged, and unknown settings and frames are ignored`() {
        var side = HTTP2Side.open(.server)
        side.take(
            Frames.settings([(0x4, 100), (0xABCD, 7)])
                + Frames.frame(6, Array(repeating: 1, count: 8))
                + Frames.frame(0xEE, flags: 0xFF, stream: 5, [1, 2, 3]))
        #expect(side.error == nil)
        #expect(side.frames() == ["SETTINGS ack", "PING ack"])
    }

    @Test func `after GOAWAY, streams above the last stream ID in it are reported as unprocessed`()
    {
        var side = HTTP2Side.open(.client)
        for _ in 0..<3 { _ = side.connection.send(.get) }
        side.take(Frames.reset(1, 7) + Frames.goAway(last: 3, 0))
        #expect(
            side.takeEvents() == [
                "1 unprocessed REFUSED_STREAM", "goaway 3 NO_ERROR", "5 unprocessed NO_ERROR",
            ])
        #expect(side.connection.room == 0 && side.connection.openStreamCount == 1)
        side.take(Frames.headers(3, [(":status", "204")]))
        #expect(side.takeEvents() == ["3 204 none", "3 end"])
    }

    @Test func `a draining HTTP/2 server accepts new requests only until its final GOAWAY`() {
        var side = HTTP2Side.open(.server)
        side.connection.beginDrain()
        #expect(side.frames() == ["GOAWAY 2147483647 NO_ERROR", "PING"])
        side.take(Frames.request(1))
        #expect(side.takeEvents() == ["1 GET / none", "1 end"])
        side.take(Frames.frame(6, flags: 1, Array("draining".utf8)))
        #expect(side.frames() == ["GOAWAY 1 NO_ERROR"])
        side.take(Frames.request(3))
        #expect(side.takeEvents() == [] && side.error == nil)
    }
}

extension ForwardedRequest {
    /// A small request.
    static var get: ForwardedRequest {
        ForwardedRequest(
            head: RequestHead(method: .get, target: [0x2F], fields: HeaderFields()),
            url: RawURL(scheme: "https", host: "h", port: 443, origin: [0x2F]), body: .none)
    }
}

struct HTTP2ResponseHeadTests {
    /// The lengths that a head says in HTTP/2.
    private func lengths(_ status: Int, _ length: String, to method: HTTPMethod) -> [String] {
        let head = ResponseHead(
            status: status, reason: "", fields: HeaderFields([("Content-Length", length)]))
        return ForwardedResponse(head: head, body: .none).http2Head(to: method)
            .fields.values(named: "content-length")
    }

    @Test func `a nonzero Content-Length is removed from an HTTP/2 response with status 204`() {
        #expect(lengths(204, "5", to: .get) == [])
        #expect(lengths(204, "0", to: .get) == ["0"])
    }

    @Test func `Content-Length is kept in an HTTP/2 response with status 304 or to a HEAD request`()
    {
        #expect(lengths(304, "5", to: .get) == ["5"])
        #expect(lengths(200, "5", to: .head) == ["5"])
    }
}
