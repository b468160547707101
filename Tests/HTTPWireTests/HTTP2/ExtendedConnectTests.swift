import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// Extended CONNECT (RFC 8441): who may use it, what it has to say, and what its stream carries.
struct ExtendedConnectTests {
    private static let offered: (UInt16, UInt32) = (8, 1)
    private static let head = [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"),
        (":path", "/chat?a=1"), (":authority", "h.example"), ("sec-websocket-version", "13"),
    ]
    private static let stream = StreamID(rawValue: 1)

    /// A server that takes extended CONNECT, greeted by its client.
    private static func offering() -> HTTP2Side {
        var side = HTTP2Side(.server) { $0.settings.allowsExtendedConnect = true }
        side.take(Frames.preface + Frames.settings() + Frames.frame(4, flags: 1))
        _ = side.takeEvents()
        _ = side.frames()
        return side
    }

    private static func without(_ name: String) -> [(String, String)] {
        head.filter { $0.0 != name }
    }

    private static func with(_ name: String, _ value: String) -> [(String, String)] {
        head.map { $0.0 == name ? (name, value) : $0 }
    }

    private static func respond(_ status: Int, _ side: inout HTTP2Side) {
        let fields = HeaderFields([("Sec-WebSocket-Protocol", "chat"), ("Content-Length", "0")])
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: status, reason: "", fields: fields),
                body: .untilClose), on: stream)
    }

    // MARK: The setting

    @Test(arguments: [Int.max, 1])
    func `a peer may enable extended CONNECT in a later SETTINGS frame`(pieces: Int) {
        var side = HTTP2Side.open(.client)
        #expect(side.peerTakesExtendedConnect == false)
        side.take(Frames.settings([Self.offered]), pieces: pieces)
        #expect(side.peerTakesExtendedConnect == true)
        #expect(side.takeEvents() == ["settings"])
        #expect(side.frames() == ["SETTINGS ack"])
        side.take(Frames.settings([(4, 100_000), Self.offered]), pieces: pieces)
        #expect(side.error == nil && side.peerTakesExtendedConnect == true)
    }

    @Test(
        arguments: [
            [[(8, 2)]], [[(8, 0xFFFF_FFFF)]], [[offered], [(8, 0)]], [[offered, (8, 0)]],
        ] as [[[(UInt16, UInt32)]]])
    func `withdrawing extended CONNECT or sending an invalid value for it is a connection error`(
        frames: [[(UInt16, UInt32)]]
    ) {
        for role in [HTTP2Connection.Role.client, .server] {
            var side = HTTP2Side.open(role)
            side.take(frames.flatMap(Frames.settings))
            #expect(side.error?.code == .protocolError)
            #expect(side.frames().last?.hasSuffix(" PROTOCOL_ERROR") == true)
        }
    }

    @Test
    func `offering extended CONNECT twice on an open connection sends only one SETTINGS frame`() {
        var side = HTTP2Side.open(.server)
        #expect(side.offersExtendedConnect == false)
        side.connection.offerExtendedConnect()
        side.connection.offerExtendedConnect()
        let output = side.connection.takeOutput(.max)
        #expect(output == Frames.settings([Self.offered]))
        #expect(side.offersExtendedConnect == true)
        let ours = side.connection.takeFacts().ourSettings
        #expect(ours.contains { $0.number == 8 && $0.value == 1 })
        // The acknowledgement was waited for: it costs nothing, however often it comes.
        for _ in 0..<150 {
            side.take(Frames.frame(4, flags: 1))
        }
        #expect(side.error == nil)
    }

    @Test func `an HTTP/2 client never offers extended CONNECT`() {
        var side = HTTP2Side.open(.client)
        side.connection.offerExtendedConnect()
        #expect(side.frames() == [])
    }

    // MARK: Heads

    @Test(arguments: [Int.max, 1, 3])
    func `an extended CONNECT request opens a stream that can carry data immediately`(pieces: Int) {
        var side = Self.offering()
        side.take(
            Frames.headers(1, Self.head, ends: false) + Frames.data(1, "early"), pieces: pieces)
        #expect(side.takeEvents() == ["1 CONNECT /chat?a=1 chunked", "1 body early"])
    }

    @Test func `Content-Length in an extended CONNECT request is ignored`() {
        var side = Self.offering()
        side.take(
            Frames.headers(1, Self.head + [("content-length", "3")], ends: false)
                + Frames.data(1, "more than three"))
        #expect(side.takeEvents() == ["1 CONNECT /chat?a=1 chunked", "1 body more than three"])
    }

    @Test func `an extended CONNECT request may have END_STREAM, which ends the client's side`() {
        var side = Self.offering()
        side.take(Frames.headers(1, Self.head))
        #expect(side.takeEvents() == ["1 CONNECT /chat?a=1 none", "1 end"])
    }

    @Test
    func `an extended CONNECT request is malformed before the server has offered the extension`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.headers(1, Self.head, ends: false))
        #expect(side.takeEvents() == ["1 malformed protocolNotOffered"])
        side.connection.offerExtendedConnect()
        side.take(Frames.headers(3, Self.head, ends: false))
        #expect(side.takeEvents() == ["3 CONNECT /chat?a=1 chunked"])
    }

    static let malformed: [([(String, String)], WireError.Kind)] = [
        (without(":scheme"), .badPseudoField), (without(":path"), .badPseudoField),
        (without(":authority"), .badHost),
        (without(":authority") + [("host", "h.example")], .badPseudoField),
        (with(":method", "GET"), .badPseudoField), (with(":method", "OPTIONS"), .badPseudoField),
        ([(":protocol", "again")] + head, .badPseudoField),
        (head + [(":protocol", "late")], .badPseudoField),
        (with(":protocol", ""), .badProtocol), (with(":protocol", "web socket"), .badProtocol),
        (with(":protocol", "a/b"), .badProtocol), (with(":protocol", "a,b"), .badProtocol),
        (with(":protocol", "a\r\nb: c"), .badFieldValue),
        (with(":path", "chat"), .badRequestTarget), (with(":path", "*"), .badRequestTarget),
        (with(":path", ""), .badRequestTarget), (with(":scheme", "wss"), .unsupportedScheme),
        (with(":authority", "u@h"), .userInfo), (head + [("host", "other")], .badHost),
        (head + [("upgrade", "websocket")], .connectionField),
        (head + [("connection", "upgrade")], .connectionField),
        (head + [("content-length", "x")], .badContentLength),
    ]

    @Test(arguments: malformed.indices)
    func `an extended CONNECT request that breaks a rule is malformed`(index: Int) {
        let (lines, kind) = Self.malformed[index]
        for pieces in [Int.max, 1] {
            var side = Self.offering()
            side.take(Frames.headers(1, lines, ends: false), pieces: pieces)
            #expect(side.takeEvents() == ["1 malformed \(kind)"])
            #expect(side.error == nil)
        }
    }

    // MARK: The stream

    @Test func `an accepted extended CONNECT stream carries bytes both ways`() {
        var side = Self.offering()
        side.take(Frames.headers(1, Self.head, ends: false))
        Self.respond(200, &side)
        side.connection.send(body: "down".utf8.span, on: Self.stream)
        side.take(Frames.data(1, "up"))
        side.connection.end(Self.stream, trailers: nil)
        #expect(
            side.frames() == [
                #"1 HEADERS [":status: 200", "sec-websocket-protocol: chat"]"#, "1 DATA down end",
            ])
        side.take(Frames.data(1, " and on", ends: true))
        #expect(
            side.takeEvents() == ["1 CONNECT /chat?a=1 chunked", "1 body up and on", "1 end"])
        #expect(side.connection.openStreamCount == 0)
    }

    @Test func `a HEADERS frame on an accepted extended CONNECT stream resets that stream`() {
        var side = Self.offering()
        side.take(Frames.headers(1, Self.head, ends: false))
        Self.respond(200, &side)
        _ = side.frames()
        side.take(Frames.headers(1, [("x", "y")]))
        #expect(side.takeEvents().last == "1 reset PROTOCOL_ERROR")
        #expect(side.frames() == ["1 RST PROTOCOL_ERROR"] && side.error == nil)
    }

    @Test func `a server may reject extended CONNECT with an ordinary response and body`() {
        var side = Self.offering()
        side.take(Frames.headers(1, Self.head, ends: false))
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: 404, reason: "", fields: HeaderFields()),
                body: .exactly(2)), on: Self.stream)
        side.connection.send(body: "no".utf8.span, on: Self.stream)
        side.connection.end(Self.stream, trailers: nil, thenReset: .noError)
        #expect(
            side.frames() == [
                #"1 HEADERS [":status: 404", "content-length: 2"]"#, "1 DATA no end",
            ])
    }

    /// What a client sends is what it was told by whoever asks, and its stream stays open.
    private static func asking(_ body: BodyLength = .none) throws -> HTTP2Side {
        var side = HTTP2Side.open(.client, [offered])
        let url = RawURL(
            scheme: "https", host: "h.example", port: 443, origin: Array("/chat".utf8))
        let head = try RequestHead.extendedConnect(
            "websocket", to: url,
            fields: HeaderFields([("Host", "other"), ("Sec-WebSocket-Version", "13")]))
        _ = side.connection.send(ForwardedRequest(head: head, url: url, body: body))
        return side
    }

    @Test(arguments: [BodyLength.none, .chunked, .exactly(0)])
    func `a client's extended CONNECT has all required pseudo-fields and leaves the stream open`(
        body: BodyLength
    ) throws {
        var side = try Self.asking(body)
        #expect(
            side.frames() == [
                #"1 HEADERS [":method: CONNECT", ":protocol: websocket", ":scheme: https", "#
                    + #"":authority: h.example", ":path: /chat", "sec-websocket-version: 13"]"#
            ])
        let isOpen = side.connection.isSending(Self.stream)
        #expect(isOpen)
    }

    @Test
    func `a 2xx response opens an extended CONNECT stream, and its Content-Length is ignored`()
        throws
    {
        var side = try Self.asking()
        side.take(
            Frames.headers(1, [(":status", "200"), ("content-length", "1")], ends: false)
                + Frames.data(1, "a message"))
        #expect(side.takeEvents() == ["1 200 none", "1 body a message"])
        _ = side.frames()
        side.connection.send(body: "mine".utf8.span, on: Self.stream)
        #expect(side.frames() == ["1 DATA mine"])
        side.take(Frames.headers(1, [("x", "trailers")]))
        #expect(side.takeEvents() == ["1 reset PROTOCOL_ERROR"])
    }

    @Test func `a client receives the rejection of extended CONNECT as a response with its body`()
        throws
    {
        var side = try Self.asking()
        side.take(
            Frames.headers(1, [(":status", "403"), ("content-length", "2")], ends: false)
                + Frames.data(1, "no", ends: true))
        #expect(side.takeEvents() == ["1 403 exactly(2)", "1 body no", "1 end"])
    }

    @Test(arguments: [
        ("a b", "/", "x", "y"), ("websocket", "a", "x", "y"), ("websocket", "/", "x", "a\r\nb: c"),
        ("websocket", "/", ":path", "/b"), ("websocket", "/", "connection", "upgrade"),
    ])
    func `an invalid extended CONNECT head cannot be created`(
        name: String, path: String, field: String, value: String
    ) {
        let url = RawURL(scheme: "https", host: "h", port: 443, origin: Array(path.utf8))
        #expect(throws: WireError.self) {
            try RequestHead.extendedConnect(
                name, to: url, fields: HeaderFields([(field, value)]))
        }
    }

    // MARK: To HTTP/1.1

    private static func upgrade(_ fields: [(String, String)], key: String?) throws -> String {
        let url = RawURL(
            scheme: "https", host: "h.example", port: 443, origin: Array("/chat".utf8))
        let head = try RequestHead.extendedConnect(
            "websocket", to: url, fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
        var message = ForwardedRequest(head: head, url: url, body: .none)
        message.options.webSocketKey = key
        var bytes: [UInt8] = []
        let notes = HTTP1HeadWriter.write(message, into: &bytes)
        #expect(notes.isEmpty)
        return ASCII.text(bytes)
    }

    @Test
    func `an extended CONNECT is forwarded to HTTP/1.1 as an Upgrade with a new WebSocket key`()
        throws
    {
        let text = try Self.upgrade(
            [
                ("sec-websocket-version", "13"), ("sec-websocket-key", "the client's"),
                ("sec-websocket-protocol", "chat"), ("cookie", "a=1"), ("cookie", "b=2"),
                ("content-length", "9"),
            ], key: "b3VyIG93biBrZXkgb2YgMTY=")
        #expect(
            text == """
                GET /chat HTTP/1.1\r
                Host: h.example\r
                sec-websocket-version: 13\r
                sec-websocket-protocol: chat\r
                cookie: a=1; b=2\r
                Upgrade: websocket\r
                Sec-WebSocket-Key: b3VyIG93biBrZXkgb2YgMTY=\r
                Connection: Upgrade\r
                \r

                """)
    }

    @Test func `a 101 becomes a 200 without Sec-WebSocket-Accept for an extended CONNECT client`() {
        let head = ResponseHead(
            status: 101, reason: "Switching Protocols",
            fields: HeaderFields([
                ("Upgrade", "websocket"), ("Connection", "Upgrade, X-Hop"), ("X-Hop", "1"),
                ("Sec-WebSocket-Accept", "abc="), ("Sec-WebSocket-Protocol", "chat"),
            ]))
        var side = Self.offering()
        side.take(Frames.headers(1, Self.head, ends: false))
        side.connection.send(
            ForwardedResponse(head: head.asOpenedStream, body: .untilClose), on: Self.stream)
        #expect(
            side.frames() == [#"1 HEADERS [":status: 200", "sec-websocket-protocol: chat"]"#])
    }
}
