import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Flows of mitmproxy with odd members, and with none.
struct FlowOddTests {
    private typealias Members = [(String, [UInt8])]

    private func request(_ more: Members = []) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("method", FlowText.bytes("GET")), ("scheme", FlowText.bytes("https")),
                ("authority", FlowText.bytes("")), ("host", FlowText.text("a.test")),
                ("port", FlowText.integer(443)), ("path", FlowText.bytes("/p")),
                ("http_version", FlowText.bytes("HTTP/1.1")), ("headers", FlowText.list([])),
                ("content", FlowText.bytes("")),
                ("timestamp_start", FlowText.integer(1_700_000_000)),
            ])
    }

    private func response(_ more: Members = []) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("status_code", FlowText.integer(200)), ("headers", FlowText.list([])),
                ("content", FlowText.bytes("")),
            ])
    }

    private func flow(_ more: Members = []) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("type", FlowText.text("http")), ("version", FlowText.integer(21)),
                ("request", request()), ("response", response()),
            ])
    }

    private func exchange(_ more: Members) throws -> Exchange {
        try #require(try InterchangeReader.entries(of: flow(more)).first).get().exchange
    }

    private func refusal(_ more: Members) throws -> String? {
        guard case .failure(let problem)? = try InterchangeReader.entries(of: flow(more)).first
        else { return nil }
        return problem.message
    }

    @Test(arguments: ["HTTP/3", "HTTP/2.0", "HTTP/2"])
    func `an HTTP/2 or HTTP/3 authority in a mitmproxy flow does not make it a proxy request`(
        version: String
    )
        throws
    {
        let sent = request([
            ("http_version", FlowText.bytes(version)),
            ("authority", FlowText.bytes("b.test:444")),
        ])
        let head = try #require(try exchange([("request", sent)]).request.head)
        #expect(head.targetText == "/p")
        #expect(head.version >= .http2)
        #expect(head.authority == "b.test:444")
    }

    @Test func `the mitmproxy importer ignores flow members of the wrong type`() throws {
        let odd = try exchange([
            ("comment", FlowText.integer(5)), ("marked", FlowText.bool(true)),
            ("client_conn", FlowText.text("x")), ("server_conn", FlowText.list([])),
            ("error", FlowText.text("x")), ("websocket", FlowText.null),
        ])
        #expect(odd.annotations.note == nil)
        #expect(odd.annotations.tags == ["marked", "rebuilt-head"])
        #expect(odd.client == nil && odd.server == nil && odd.failure == nil)
        #expect(try exchange([("marked", FlowText.bool(false))]).annotations.tags.count == 1)
    }

    @Test func `a mitmproxy flow without a valid request, server or status is rejected`() throws {
        for (name, message) in [
            ("method", "its request has no method or server"),
            ("host", "its request has no method or server"),
            ("port", "its request has no method or server"),
        ] {
            #expect(try refusal([("request", request([(name, FlowText.null)]))]) == message)
        }
        #expect(
            try refusal([("request", request([("port", FlowText.integer(65_536))]))])
                == "its request has no method or server")
        #expect(try refusal([("request", FlowText.null)]) == "it has no request")
        #expect(try refusal([("type", FlowText.text("smtp"))]) == "its type is not known")
        #expect(
            try refusal([("response", response([("status_code", FlowText.integer(0))]))])
                == "its response has no valid status")
        #expect(
            try refusal([("request", request([("path", FlowText.bytes("/a b"))]))])
                == "its path cannot be sent")
        #expect(
            try refusal([("request", request([("method", FlowText.bytes("GET /"))]))])
                == "its method cannot be sent")
    }

    @Test(arguments: ["nan", "inf", "-1", "1e300", "0", "x", "", "9e9"])
    func `a mitmproxy flow with an unreadable start time is tagged missing-time`(text: String)
        throws
    {
        let time = FlowText.value(Array(text.utf8), "^")
        let odd = try exchange([("request", request([("timestamp_start", time)]))])
        #expect(odd.timeline.wallStart == 0)
        #expect(odd.annotations.tags == ["rebuilt-head", "missing-time"])
        let ended = try exchange([
            ("request", request([("timestamp_start", time)])),
            ("response", response([("timestamp_end", FlowText.integer(1_700_000_001))])),
        ])
        #expect(ended.timeline[.responseLastByte] == nil && ended.timeline[.delivered] == nil)
    }

    @Test func `a mitmproxy CONNECT flow is imported as a tunnel`() throws {
        let sent = request([
            ("method", FlowText.bytes("CONNECT")), ("scheme", FlowText.bytes("")),
            ("path", FlowText.bytes("")), ("authority", FlowText.bytes("a.test:443")),
        ])
        let tunnel = try exchange([("request", sent)]).request
        #expect(tunnel.url == .tunnel(host: "a.test", port: 443))
        #expect(tunnel.head?.targetText == "a.test:443")
    }

    @Test
    func `the mitmproxy importer brackets IPv6 addresses and uses the address if Host is invalid`()
        throws
    {
        let sent = request([("host", FlowText.text("2001:db8::1")), ("port", FlowText.integer(80))])
        #expect(
            try exchange([("request", sent)]).request.url?.description
                == "https://[2001:db8::1]:80/p")
        // A Host that is no name leaves the address.
        let odd = request([
            ("host", FlowText.text("192.0.2.1")),
            (
                "headers",
                FlowText.list([FlowText.list([FlowText.bytes("Host"), FlowText.bytes(":")])])
            ),
        ])
        #expect(try exchange([("request", odd)]).request.url?.host == "192.0.2.1")
    }

    private func connection(_ more: Members) -> [UInt8] {
        FlowText.dictionary(
            more + [
                ("id", FlowText.text("one")),
                ("peername", FlowText.list([FlowText.text("192.0.2.9"), FlowText.integer(443)])),
                ("timestamp_start", FlowText.integer(1_700_000_001)),
                ("timestamp_tcp_setup", FlowText.float(1_700_000_001.25)),
                ("timestamp_tls_setup", FlowText.float(1_700_000_001.75)),
            ])
    }

    @Test
    func `only the mitmproxy flow that opened a connection gets connect and TLS times`()
        throws
    {
        let timeline = try exchange([("server_conn", connection([]))]).timeline
        #expect(timeline.connect == 250_000_000)
        #expect(timeline.tls == 500_000_000)
        #expect(!timeline.connectionReused)
        let old = connection([("timestamp_start", FlowText.integer(1_600_000_000))])
        let reused = try exchange([("server_conn", old)]).timeline
        #expect(reused.connectionReused && reused.connect == nil && reused.tls == nil)
    }

    @Test func `mitmproxy flows with the same connection ID share one connection`() throws {
        let one = try exchange([("server_conn", connection([]))]).server
        let same = try exchange([("server_conn", connection([]))]).server
        let other = try exchange([("server_conn", connection([("id", FlowText.text("two"))]))])
        #expect(one?.id == same?.id)
        #expect(one?.id != other.server?.id)
        #expect((one?.id.rawValue ?? 0) > 0)
    }

    @Test func `the mitmproxy importer keeps server certificates and the upstream proxy`() throws {
        let pem = "-----BEGIN CERTIFICATE-----\r\nMAAw\r\nAA==\r\n-----END CERTIFICATE-----\r\n"
        let server = try exchange([
            (
                "server_conn",
                connection([
                    ("tls_version", FlowText.text("TLSv1.2")),
                    (
                        "certificate_list",
                        FlowText.list([FlowText.bytes(pem), FlowText.bytes("*")])
                    ),
                    (
                        "via",
                        FlowText.list([
                            FlowText.text("http"),
                            FlowText.list([FlowText.text("::1"), FlowText.integer(3_128)]),
                        ])
                    ),
                ])
            )
        ]).server
        #expect(server?.security?.peerCertificates == [[0x30, 0, 0x30, 0]])
        #expect(server?.upstream == "[::1]:3128")
    }

    @Test(arguments: [
        ("Client disconnected.", ExchangeFailure.Origin.client), ("client disconnect", .client),
        ("Server disconnected", .upstream), ("", .upstream),
    ])
    func `a mitmproxy flow's error message determines whether the client or the server failed`(
        message: String, origin: ExchangeFailure.Origin
    ) throws {
        let error = FlowText.dictionary([("msg", FlowText.text(message))])
        let failed = try exchange([("error", error)])
        #expect(failed.failure?.origin == origin)
        // There was a response, and something went wrong all the same.
        #expect(failed.state == .failed)
        #expect(failed.response != nil)
    }

    private func socket(_ messages: [[UInt8]], _ more: Members = []) -> [UInt8] {
        flow([("websocket", FlowText.dictionary(more + [("messages", FlowText.list(messages))]))])
    }

    @Test func `a mitmproxy WebSocket flow with an unreadable message is rejected as a whole`()
        throws
    {
        func message(_ opcode: Int, _ content: [UInt8]) -> [UInt8] {
            FlowText.list([
                FlowText.integer(opcode), FlowText.bool(true), content, FlowText.null,
            ])
        }
        let good = message(1, FlowText.bytes("a"))
        for bad in [
            message(8, FlowText.bytes("a")), message(3, FlowText.bytes("a")),
            message(1, FlowText.null), FlowText.list([]), FlowText.text("x"),
        ] {
            let entries = try InterchangeReader.entries(of: socket([good, bad]))
            #expect(entries.count == 1)
            guard case .failure(let problem)? = entries.first else {
                Issue.record("it is imported")
                return
            }
            #expect(problem.message == "its message 2 cannot be read")
        }
        let many = Array(repeating: good, count: 200)
        let imported = try #require(try InterchangeReader.entries(of: socket(many)).first).get()
        #expect(imported.messages.map(\.position) == (0..<200).map(Int64.init))
        #expect(imported.messages.map(\.offsetNs) == Array(repeating: 0, count: 200))
    }

    @Test(arguments: [1_005, 1_006, -1, 65_536])
    func `a mitmproxy close code that may not be sent in a frame gives no close message`(
        code: Int
    ) throws {
        let closed = socket([], [("close_code", FlowText.integer(code))])
        let imported = try #require(try InterchangeReader.entries(of: closed).first).get()
        #expect(imported.exchange.upgradedTo == "websocket")
        #expect(imported.messages.isEmpty)
    }

    @Test(arguments: ["5:abc", ":", "3:abc", "3:abc?", "03:abc,", "99999999999:a,", "-1:a,"])
    func `an unreadable value in a mitmproxy flow does not affect the next flow`(text: String)
        throws
    {
        let bad = FlowText.value(Array(text.utf8), "}")
        let entries = try InterchangeReader.entries(of: bad + flow())
        #expect(entries.count == 2)
        #expect((try? entries[0].get()) == nil)
        #expect((try? entries[1].get()) != nil)
    }

    @Test(arguments: ["3:abc,", "0:]", "4:true!"])
    func `a value that is not a flow is rejected by the mitmproxy importer`(text: String) throws {
        let entries = try InterchangeReader.entries(of: Array(text.utf8))
        guard case .failure(let problem)? = entries.first else {
            Issue.record("it is read")
            return
        }
        #expect(problem.description == "flow 1: it is not a flow")
    }
}
