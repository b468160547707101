import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Flows of mitmproxy.
struct MitmproxyImportTests {
    private typealias Members = [(String, [UInt8])]

    private func request(_ more: Members = []) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("method", FlowText.bytes("POST")), ("scheme", FlowText.bytes("https")),
                ("authority", FlowText.bytes("")), ("host", FlowText.text("a.test")),
                ("port", FlowText.integer(8_443)), ("path", FlowText.bytes("/p?q=1%00")),
                ("http_version", FlowText.bytes("HTTP/1.1")),
                ("headers", headers([("X-Dup", "1"), ("x-dup", "2")])),
                ("content", FlowText.bytes("sent")), ("trailers", FlowText.null),
                ("timestamp_start", FlowText.integer(1_700_000_000)),
                ("timestamp_end", FlowText.float(1_700_000_000.5)),
            ])
    }

    private func response(_ more: Members = []) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("status_code", FlowText.integer(200)), ("reason", FlowText.bytes("Fine")),
                ("http_version", FlowText.bytes("HTTP/1.1")),
                ("headers", headers([("Content-Encoding", "br")])),
                ("content", FlowText.bytes("coded")),
                ("timestamp_start", FlowText.float(1_700_000_001.25)),
                ("timestamp_end", FlowText.integer(1_700_000_002)),
            ])
    }

    private func headers(_ pairs: [(String, String)]) -> [UInt8] {
        FlowText.list(
            pairs.map { FlowText.list([FlowText.bytes($0.0), FlowText.bytes($0.1)]) })
    }

    private func flow(_ more: Members = [], version: Int = 21) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("type", FlowText.text("http")), ("version", FlowText.integer(version)),
                ("request", request()), ("response", response()), ("websocket", FlowText.null),
                ("comment", FlowText.text("")), ("marked", FlowText.text("")),
                ("error", FlowText.null),
            ])
    }

    private func exchange(_ bytes: [UInt8]) throws -> Exchange {
        let entries = try InterchangeReader.entries(of: bytes)
        #expect(entries.count == 1)
        return try #require(entries.first).get().exchange
    }

    private func problems(_ bytes: [UInt8]) throws -> [ImportProblem] {
        try InterchangeReader.entries(of: bytes).compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
    }

    @Test func `the mitmproxy importer keeps bodies as transferred and tags heads as rebuilt`()
        throws
    {
        let exchange = try exchange(flow())
        #expect(exchange.request.url?.description == "https://a.test:8443/p?q=1%00")
        #expect(exchange.request.head?.targetText == "/p?q=1%00")
        #expect(
            exchange.request.head?.fields.pairs.map { "\($0.name)=\($0.value)" }
                == ["Host=a.test:8443", "X-Dup=1", "x-dup=2"])
        #expect(exchange.request.body == Body(Array("sent".utf8)))
        #expect(exchange.response?.head.statusLineText == "HTTP/1.1 200 Fine")
        #expect(exchange.response?.head.fields["Content-Encoding"] == "br")
        #expect(exchange.response?.body == Body(Array("coded".utf8)))
        #expect(exchange.annotations.tags == ["rebuilt-head"])
        #expect(exchange.state == .complete)
        #expect(exchange.timeline.wallStart == 1_700_000_000_000_000_000)
        #expect(exchange.timeline[.requestLastByte] == 500_000_000)
        #expect(exchange.timeline[.responseFirstByte] == 1_250_000_000)
        #expect(exchange.timeline[.responseLastByte] == 2_000_000_000)
        // What the file does not have is not there.
        #expect(exchange.timeline[.sendStart] == nil && exchange.timeline.dns == nil)
        #expect(exchange.client == nil && exchange.server == nil)
    }

    @Test(arguments: [18, 19, 20, 21])
    func `the mitmproxy importer reads connection addresses in all supported flow versions`(
        version: Int
    ) throws {
        let isOld = version == 18
        let address = FlowText.list([FlowText.text("::1"), FlowText.integer(49_152)])
        let connection = FlowText.dictionary([
            (isOld ? "address" : "peername", address),
            (isOld ? "cipher_name" : "cipher", FlowText.text("TLS_X")),
            ("tls_version", FlowText.text("TLSv1.3")), ("sni", FlowText.text("a.test")),
            ("alpn", FlowText.bytes("h2")), ("id", FlowText.text("c")),
            ("timestamp_start", FlowText.float(1_699_999_999.5)),
        ])
        let exchange = try exchange(flow([("client_conn", connection)], version: version))
        #expect(exchange.client?.peerAddress == "[::1]:49152")
        #expect(exchange.client?.security?.cipher == "TLS_X")
        #expect(exchange.client?.security?.alpn == "h2")
        #expect(exchange.client?.openedAt == 1_699_999_999_500_000_000)
    }

    @Test(arguments: [4, 17, 22])
    func `mitmproxy flows of unsupported versions are rejected with an explanation`(version: Int)
        throws
    {
        let problem = try #require(try problems(flow(version: version)).first)
        #expect(problem.message.contains("only flows of the format versions 18 to 21"))
        #expect(problem.place == "flow 1")
    }

    @Test func `the mitmproxy importer keeps comments, marks and errors, and tags missing bodies`()
        throws
    {
        let marked = try exchange(
            flow([
                ("comment", FlowText.text("look")), ("marked", FlowText.text(":default:")),
                ("response", FlowText.null),
                (
                    "error",
                    FlowText.dictionary([
                        ("msg", FlowText.text("Server unreachable")),
                        ("timestamp", FlowText.float(1_700_000_003)),
                    ])
                ),
            ]))
        #expect(marked.annotations.note == "look")
        #expect(marked.annotations.tags == ["marked", "rebuilt-head"])
        #expect(marked.state == .failed)
        #expect(marked.failure?.message == "Server unreachable")
        #expect(marked.timeline[.ended] == 3_000_000_000)
        let streamed = try exchange(
            flow([
                (
                    "response",
                    response([
                        ("content", FlowText.null), ("headers", headers([("Content-Length", "9")])),
                    ])
                )
            ]))
        #expect(streamed.response?.body == Body(byteCount: 9, kept: []))
        #expect(streamed.annotations.tags == ["rebuilt-head", "missing-body"])
    }

    @Test
    func `the mitmproxy importer keeps WebSocket messages and marks those dropped in mitmproxy`()
        throws
    {
        func message(_ opcode: Int, _ isSent: Bool, _ text: String, _ dropped: Bool) -> [UInt8] {
            FlowText.list([
                FlowText.integer(opcode), FlowText.bool(isSent), FlowText.bytes(text),
                FlowText.float(1_700_000_004), FlowText.bool(dropped), FlowText.bool(false),
            ])
        }
        let socket = FlowText.dictionary([
            (
                "messages",
                FlowText.list([message(1, true, "hi", false), message(2, false, "\u{1}", true)])
            ),
            ("closed_by_client", FlowText.bool(true)), ("close_code", FlowText.integer(1_000)),
            ("close_reason", FlowText.text("bye")),
            ("timestamp_end", FlowText.integer(1_700_000_005)),
        ])
        let entry = try #require(
            try InterchangeReader.entries(of: flow([("websocket", socket)])).first)
        let imported = try entry.get()
        #expect(imported.exchange.upgradedTo == "websocket")
        #expect(imported.messages.map(\.kind) == [.text, .binary, .close])
        #expect(imported.messages.map(\.direction) == [.toServer, .toClient, .toServer])
        #expect(imported.messages.map(\.position) == [0, 1, 2])
        #expect(imported.messages.map(\.offsetNs) == [4_000_000_000, 4_000_000_000, 5_000_000_000])
        #expect(imported.messages[1].problem == "mitmproxy dropped it")
        #expect(imported.messages[2].content == .bytes([3, 232] + Array("bye".utf8)))
    }

    @Test
    func `the mitmproxy importer keeps HTTP/2 authorities and absolute proxy request targets`()
        throws
    {
        let second = try exchange(
            flow([
                (
                    "request",
                    request([
                        ("http_version", FlowText.bytes("HTTP/2.0")),
                        ("authority", FlowText.bytes("named.test")),
                    ])
                )
            ]))
        #expect(second.request.head?.version == .http2)
        #expect(second.request.head?.authority == "named.test")
        let proxied = try exchange(
            flow([("request", request([("authority", FlowText.bytes("a.test:8443"))]))]))
        #expect(proxied.request.head?.targetText == "https://a.test:8443/p?q=1%00")
        let transparent = try exchange(
            flow([
                (
                    "request",
                    request([
                        ("host", FlowText.text("192.0.2.1")),
                        ("headers", headers([("Host", "b.test")])),
                    ])
                )
            ]))
        #expect(transparent.request.url?.host == "b.test")
        // A name of hexadecimal digits is not an address.
        let named = try exchange(
            flow([
                (
                    "request",
                    request([
                        ("host", FlowText.text("ad.de")),
                        ("headers", headers([("Host", "bank.example")])),
                    ])
                )
            ]))
        #expect(named.request.url?.host == "ad.de")
    }

    @Test func `mitmproxy flows that are not HTTP are left out, and their protocol is reported`()
        throws
    {
        var reader = InterchangeReader()
        var leftOut: [String] = []
        let others = ["tcp", "udp", "dns"].flatMap { flow([("type", FlowText.text($0))]) }
        try reader.receive(others) {
            if case .success(.leftOut(let kind)) = $0 { leftOut.append(kind) }
        }
        #expect(leftOut == ["TCP flow", "UDP flow", "DNS flow"])
    }

    @Test func `the flows before the damaged part of a mitmproxy file are imported`() throws {
        let file = flow() + flow()
        for count in [1, 40, file.count / 2 - 1] {
            let cut = Array(file.dropLast(count))
            let entries = try InterchangeReader.entries(of: cut)
            #expect(entries.count == 2)
            #expect((try? entries[0].get()) != nil)
            let problem = try #require(try problems(cut).first)
            #expect(problem.description == "flow 2: the file ends too early")
            #expect(problem.isDamage)
        }
        let odd = try problems(flow() + Array("garbage".utf8))
        #expect(odd.map(\.description) == ["flow 2: it does not start with a length"])
        let huge = try problems(flow() + Array("9999999999:x".utf8))
        #expect(huge.map(\.description) == ["flow 2: it is longer than 512 MiB"])
    }

    @Test func `a mitmproxy flow with an inconsistent length is rejected without affecting others`()
        throws
    {
        // A text that says it is longer than what holds it.
        let liar = FlowText.dictionary([("version", Array("99:x;".utf8))])
        let problem = try #require(try problems(liar + flow()).first)
        #expect(problem.description == "flow 1: a value in it does not end where it says")
        #expect(problem.isDamage)
        #expect(try InterchangeReader.entries(of: liar + flow()).count == 2)
        var deep = FlowText.null
        for _ in 0..<2_000 { deep = FlowText.list([deep]) }
        #expect(try exchange(flow([("metadata", deep)])).state == .complete)
        let wide = FlowText.list(Array(repeating: FlowText.null, count: 3_000))
        let tooWide = try problems(flow([("request", request([("headers", wide)]))]))
        #expect(tooWide.map(\.message) == ["a part of it has too many values"])
    }

    @Test func `a mitmproxy header with a line break is left out, so that it cannot become two`()
        throws
    {
        let split = request([("headers", headers([("X", "a\r\nY: b")]))])
        let exchange = try exchange(flow([("request", split)]))
        #expect(exchange.request.head?.fields.pairs.contains { $0.name == "X" } == false)
        #expect(exchange.annotations.tags.contains("missing-header"))
    }

    @Test func `mitmproxy files are imported the same however they are split`() throws {
        let file = flow() + flow([("type", FlowText.text("tcp"))]) + flow() + Array("x".utf8)
        let whole = try InterchangeReader.entries(of: file).map { "\($0.map(\.exchange))" }
        #expect(whole.count == 3)
        for count in [1, 7, 1_000] {
            let pieces = try InterchangeReader.entries(of: file, pieceByteCount: count)
            #expect(pieces.map { "\($0.map(\.exchange))" } == whole)
        }
    }

    @Test(.enabled(if: ImportVectors.folder != nil, "no ../shared/vectors beside the repository"))
    func `sample files written by mitmproxy are imported`() throws {
        let flows = try InterchangeReader.entries(of: try ImportVectors.bytes("http.mitm"))
            .map { try $0.get().exchange }
        #expect(
            flows.map { $0.request.url?.description } == [
                "https://api.test/login?user=a%00b", "http://bin.test:22/x",
            ])
        #expect(flows[1].annotations.note == "noted")
        let sockets = try InterchangeReader.entries(
            of: try ImportVectors.bytes("error-and-websocket.mitm")
        ).map { try $0.get() }
        #expect(sockets.map(\.exchange.state) == [.failed, .complete])
        #expect(sockets[1].messages.isEmpty == false)
        let others = try InterchangeReader.entries(
            of: try ImportVectors.bytes("tcp-udp-dns.mitm"))
        #expect(others.isEmpty)
    }
}
