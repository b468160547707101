import ProxydCaptureModel
import ProxydHTTPModel
import ProxydPresentation
import Testing

/// What is known of an exchange apart from its messages.
struct ExchangeFactsTests {
    private func row(_ change: (inout ExchangeRow) -> Void = { _ in }) -> ExchangeRow {
        var row = ExchangeRow(id: ExchangeID(rawValue: 7), startedAtNs: 0, state: .complete)
        row.method = "GET"
        row.scheme = "https"
        row.host = "a.test"
        row.port = 443
        row.path = "/x"
        row.httpVersion = "HTTP/2"
        row.status = 404
        row.reason = "Not Found"
        change(&row)
        return row
    }

    private func exchange(_ change: (inout Exchange) -> Void = { _ in }) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(rawValue: 7), state: .complete,
            request: Request(
                url: nil,
                head: RequestHead(method: .get, target: Array("/x".utf8), fields: .init())),
            response: Response(
                head: ResponseHead(status: 404, reason: "Not Found", fields: .init()),
                body: Body()),
            timeline: Timeline(wallStart: 0, start: 0))
        change(&exchange)
        return exchange
    }

    private func text(_ facts: [Fact]) -> [String] { facts.map(\.line.text) }

    private func connection(
        _ side: ConnectionRecord.Side, _ security: ConnectionRecord.Security? = nil
    ) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: side, openedAt: 0, peerAddress: "192.0.2.1:443",
            localAddress: "127.0.0.1:8080", security: security,
            process: side == .client ? .init(pid: 77, name: "curl") : nil)
    }

    @Test func `the outcome of an exchange lists URL, method, status and state`() {
        let facts = ExchangeFacts(row(), exchange()).outcome
        #expect(
            text(facts) == [
                "url           https://a.test/x", "method        GET",
                "status        404 Not Found", "state         complete",
            ])
        #expect(facts[2].role == .clientError)
    }

    @Test(arguments: [
        ("127.0.0.1:0", "127.0.0.1:8080"), ("socks://127.0.0.1:0", "socks://127.0.0.1:8080"),
        ("127.0.0.1:3128", "127.0.0.1:3128"), ("office", "office"),
    ])
    func `a listener configured with port 0 is shown with the port that it was assigned`(
        recorded: String, shown: String
    ) {
        let exchange = exchange { exchange in
            var client = connection(.client)
            client.arrival = .init(listener: recorded, mode: .proxy)
            exchange.client = client
        }
        let facts = text(ExchangeFacts(row(), exchange).connections)
        #expect(facts.contains("listener      \(shown), mode proxy"), "\(facts)")
    }

    @Test func `the exchange details show an unreadable request without URL, method and status`() {
        let unread = row { ($0.host, $0.method, $0.status, $0.state) = (nil, nil, nil, .failed) }
        #expect(
            text(ExchangeFacts(unread, exchange()).outcome) == [
                "url           unreadable URL", "method        -", "state         failed",
            ])
    }

    @Test func `the HTTP versions of request and response are both shown if they differ`() {
        #expect(
            text(ExchangeFacts(row(), exchange()).course)
                == ["protocol      HTTP/2, answered HTTP/1.1"])
        let same = row { $0.httpVersion = "HTTP/1.1" }
        #expect(text(ExchangeFacts(same, exchange()).course) == ["protocol      HTTP/1.1"])
        let failed = row { ($0.httpVersion, $0.error) = (nil, "upstream timedOut: too slow") }
        let course = ExchangeFacts(failed, exchange()).course
        #expect(text(course) == ["error         upstream timedOut: too slow"])
        #expect(course.first?.role == .bad)
    }

    @Test func `refused, repaired and incomplete responses are listed as faults of an exchange`() {
        let faulty = exchange {
            $0.state = .failed
            $0.failure = ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "m")
            $0.responseFault = ResponseFault(
                refusal: .init(bytes: [0], reason: "no HTTP"),
                repairs: ["a folded field line was joined"])
            $0.response?.head = ResponseHead(
                status: 200, reason: "OK", fields: HeaderFields([("Content-Length", "9")]))
        }
        let facts = ExchangeFacts(row(), faulty).faults
        #expect(
            text(facts) == [
                "refused       no HTTP", "repaired      a folded field line was joined",
                "body          0 of 9 bytes arrived: the server closed",
            ])
        #expect(facts.map(\.role) == [.bad, .notice, .bad])
        #expect(ExchangeFacts(row(), exchange()).faults.isEmpty)
    }

    @Test
    func `an exchange's HTTP/2 stream, reset, rules, upgrade and replayed original are listed`() {
        let special = row {
            $0.rules = ["key", "slow"]
            $0.upgradedTo = "websocket"
            $0.replayOf = ExchangeID(rawValue: 3)
        }
        let reset = exchange {
            var http2 = HTTP2Facts()
            http2.clientStream = StreamID(rawValue: 5)
            http2.reset = .init(side: .server, isOurs: false, code: .cancel)
            $0.http2 = http2
        }
        let facts = ExchangeFacts(special, reset).traits
        #expect(facts.map(\.name) == ["stream", "reset", "rules", "upgraded to", "repeats"])
        #expect(facts[2].value == "key, slow")
        #expect(facts.last?.line.text == "repeats       #3")
        #expect(ExchangeFacts(row(), exchange()).traits.isEmpty)
    }

    @Test func `an exchange's note, tags and pin are shown if it has any`() {
        let noted = row { ($0.note, $0.tags, $0.isPinned) = ("look here", ["a", "b"], true) }
        #expect(
            text(ExchangeFacts(noted, exchange()).annotations) == [
                "note          look here", "tags          a, b", "pinned        yes",
            ])
        #expect(ExchangeFacts(row(), exchange()).annotations.isEmpty)
    }

    @Test
    func `client and server connections are shown with addresses, process and negotiated TLS`() {
        let connected = exchange {
            $0.client = connection(.client)
            $0.server = connection(
                .server,
                .init(
                    version: "TLSv1.3", cipher: "AES", alpn: "h2", serverName: "a.test",
                    peerCertificates: [[1]], isResumed: true))
            $0.timeline.connectionReused = true
        }
        #expect(
            text(ExchangeFacts(row(), connected).connections) == [
                "client        192.0.2.1:443 → 127.0.0.1:8080",
                "process       curl, pid 77",
                "server        127.0.0.1:8080 → 192.0.2.1:443",
                "  tls         TLSv1.3  AES  ALPN h2  SNI a.test  resumed  1 certificate",
                "connection    kept alive, used before",
            ])
        #expect(ExchangeFacts(row(), exchange()).connections.isEmpty)
    }

    @Test func `the listener, original address, user and upstream proxy of an exchange are shown`()
    {
        let connected = exchange {
            $0.user = "alice"
            $0.client = connection(.client)
            $0.client?.process = nil
            $0.client?.arrival = .init(
                listener: "office", mode: .transparent, originalAddress: "192.0.2.9:443",
                proxyProtocolPeer: "198.51.100.7:5000")
            $0.server = connection(.server)
            $0.server?.upstream = "corp"
        }
        #expect(
            text(ExchangeFacts(row(), connected).connections) == [
                "client        192.0.2.1:443 → 127.0.0.1:8080",
                "listener      office, mode transparent",
                "original to   192.0.2.9:443",
                "proxied for   198.51.100.7:5000",
                "user          alice",
                "server        127.0.0.1:8080 → 192.0.2.1:443",
                "upstream      corp",
                "connection    new",
            ])
    }

    @Test(
        arguments: [
            (nil, false, nil),
            ([], false, "asked for, none was given; accepted from: any authority"),
            (["CN=A", "CN=B"], true, "shown; accepted from: CN=A; CN=B"),
        ] as [([String]?, Bool, String?)])
    func `a server's request for a client certificate is shown with the authorities it accepts`(
        authorities: [String]?, isShown: Bool, wanted: String?
    ) {
        var security = ConnectionRecord.Security(
            version: "TLSv1.3", cipher: nil, alpn: nil, serverName: nil)
        security.requestedAuthorities = authorities
        security.showsClientCertificate = isShown
        let facts = ExchangeFacts(
            row(), exchange { $0.server = connection(.server, security) }
        ).connections
        #expect(facts.first { $0.name == "  certificate" }?.value == wanted)
    }

    @Test func `the exchange details say if a TLS connection was not intercepted`() {
        let security = ConnectionRecord.Security(
            version: nil, cipher: nil, alpn: nil, serverName: "a.test")
        let facts = ExchangeFacts(
            row(), exchange { $0.client = connection(.client, security) }
        ).connections
        #expect(facts.first { $0.name == "  tls" }?.value == "not intercepted  SNI a.test")
    }

    @Test func `the HTTP/2 settings of the peer and of the proxy are shown separately`() {
        let told = exchange {
            $0.client = connection(.client)
            $0.client?.http2 = HTTP2ConnectionFacts(
                ourSettings: [.init(number: 3, value: 100)],
                peerSettings: [.init(number: 4, value: 65_535), .init(number: 77, value: 1)])
        }
        let facts = ExchangeFacts(row(), told).connections
        let peer = facts.first { $0.name == "  settings" }?.value
        #expect(peer?.contains("INITIAL_WINDOW_SIZE") == true && peer?.contains("77") == true)
        #expect(facts.first { $0.name == "  ours" }?.value.contains("MAX_CONCURRENT") == true)
    }

    @Test func `the status of a gRPC call is shown by its name, as success or failure`() {
        let call = row {
            $0.requestContentType = "application/grpc"
            $0.grpcStatus = 0
        }
        let done = ExchangeFacts(call, exchange()).grpcStatus
        #expect(done.map(\.role) == [.success] && done.first?.value.contains("OK") == true)
        let failed = ExchangeFacts(row { $0.grpcStatus = 5 }, exchange()).grpcStatus
        #expect(failed.allSatisfy { $0.role == .bad && $0.value.contains("NOT_FOUND") })
        #expect(ExchangeFacts(row(), exchange()).grpcStatus.isEmpty)
    }

    @Test func `the declared content type of a response is shown in the exchange details`() {
        let typed = row { $0.responseContentType = "text/html" }
        #expect(text(ExchangeFacts(typed, exchange()).types) == ["type          text/html"])
    }

    @Test func `a long label in the exchange details keeps a space before its value`() {
        #expect(Fact("a very long name", "v").line.text == "a very long name v")
    }
}
