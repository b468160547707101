import ProxydHTTPModel
import ProxydHTTPWire

/// The exchanges that the examples of the filter language's manual speak of.
enum FilterManualStore {
    /// 1 a search, 2 a login, 3 a missing item, 4 an image, 5 a slow error, 6 a server with a bad
    /// certificate, 7 the search sent again just now, 8 a tunnel, 9 no HTTP at all, 10 a WebSocket,
    /// 11 a stream of HTTP/2 that its client reset.
    static func exchanges(now: Int64) -> [Exchange] {
        [search, login, item, image, orders, refused, again(now), tunnel, malformed, chat, events]
    }

    /// 2026-11-20T10:15:30Z.
    static let morning: Int64 = 1_795_169_730_000_000_000

    private static func exchange(
        _ method: HTTPMethod, _ url: RawURL, _ requestFields: [(name: String, value: String)] = [],
        body: String = "", response: Response?, milliseconds: Int64 = 35,
        startedAt: Int64 = morning, state: ExchangeState = .complete
    ) -> Exchange {
        var exchange = SampleExchange.exchange(
            method, url, requestFields, body: Array(body.utf8), response: response, state: state)
        var timeline = Timeline(wallStart: startedAt, start: 0)
        timeline[.requestFirstByte] = 0
        timeline[.delivered] = milliseconds * 1_000_000
        exchange.timeline = timeline
        return exchange
    }

    static func url(_ scheme: String, _ host: String, _ port: UInt16, _ origin: String)
        -> RawURL
    {
        RawURL(scheme: scheme, host: host, port: port, origin: Array(origin.utf8))
    }

    private static func client(_ address: String, _ process: String) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: morning, peerAddress: address,
            localAddress: "127.0.0.1:8080", process: .init(pid: 77, name: process))
    }

    private static var search: Exchange {
        var exchange = exchange(
            .get, url("http", "shop.test", 80, "/search?q=coffee&page=2"),
            [("User-Agent", "curl/8.5.0")],
            response: SampleExchange.response(
                200, [("Content-Type", "application/json")],
                Array(#"{"name": "coffee", "price": 12}"#.utf8)))
        exchange.client = client("127.0.0.1:49152", "curl")
        exchange.client?.arrival = .init(listener: "office", mode: .proxy)
        exchange.user = "alice"
        exchange.server = ConnectionRecord(
            id: ConnectionID(rawValue: 2), side: .server, openedAt: morning,
            peerAddress: "192.0.2.7:3128", localAddress: "192.0.2.1:40000")
        exchange.server?.upstream = "corp"
        return exchange
    }

    private static var login: Exchange {
        var exchange = exchange(
            .post, url("https", "shop.test", 443, "/login"),
            [("Content-Type", "application/x-www-form-urlencoded")], body: "user=alice&token=x",
            response: SampleExchange.response(302, [("Location", "/")], []), milliseconds: 250)
        exchange.annotations = .init(note: "ask Ben", tags: ["slow"])
        return exchange
    }

    private static var item: Exchange {
        exchange(
            .put, url("https", "api.test", 8443, "/v1/items"),
            [("Content-Type", "application/json"), ("X-Request-ID", "7")],
            body: #"{"items": [{"name": "tea"}]}"#,
            response: SampleExchange.response(
                404, [("Content-Type", "application/problem+json")],
                Array(#"{"items": [{"name": null}]}"#.utf8)))
    }

    private static var image: Exchange {
        var exchange = exchange(
            .get, url("http", "shop.test", 80, "/logo.PNG"),
            response: SampleExchange.response(
                200, [("Content-Type", "image/png")], Array(repeating: 0, count: 30_000)))
        exchange.responseFault = ResponseFault(
            repairs: ["a line of the chunked coding ended in a bare line feed"])
        return exchange
    }

    private static var orders: Exchange {
        var exchange = exchange(
            .get, url("https", "api.test", 443, "/v2/orders"),
            response: SampleExchange.response(
                503, [("Content-Type", "text/plain")], Array(repeating: 0x78, count: 15_000)),
            milliseconds: 13_000, startedAt: morning + 3_600_000_000_000)
        exchange.client = client("[::1]:50000", "python3")
        exchange.appliedRules = [
            AppliedRule(rule: "staging", phase: .request, outcome: "routed"),
            AppliedRule(
                rule: "staging", phase: .response, outcome: "held", detail: "changed",
                hold: AppliedRule.Hold(startNs: 1_500_000_000, durationNs: 11_000_000_000)),
        ]
        // A person made an error of the server's 200.
        if var response = exchange.response {
            response.sentHead = response.head
            response.head = ResponseHead(
                status: 200, reason: "OK", fields: response.head.fields)
            exchange.response = response
        }
        exchange.responseFault = ResponseFault(
            refusal: .init(bytes: [0x7A], reason: "a chunk size is not a number"))
        return exchange
    }

    private static var refused: Exchange {
        var exchange = exchange(
            .get, url("https", "old.test", 443, "/"),
            response: SampleExchange.response(502, [("Content-Type", "text/plain")], []),
            state: .failed)
        exchange.failure = ExchangeFailure(
            origin: .upstream, kind: .certificate, message: "the certificate has expired")
        return exchange
    }

    private static func again(_ now: Int64) -> Exchange {
        var exchange = search
        exchange.timeline.wallStart = now - 60_000_000_000
        exchange.client = nil
        exchange.replayOf = ExchangeID(rawValue: 1)
        exchange.annotations = .init(isPinned: true)
        return exchange
    }

    private static var tunnel: Exchange {
        exchange(
            .connect, url("https", "mail.test", 993, ""),
            response: SampleExchange.response(200, [], []), state: .tunnel)
    }

    private static var malformed: Exchange {
        var exchange = SampleExchange.malformed
        exchange.timeline.wallStart = morning
        return exchange
    }

    private static var events: Exchange {
        var exchange = exchange(
            .get, url("https", "rpc.test", 443, "/watch"),
            response: SampleExchange.response(200, [], []))
        exchange.request.head = try? HeadParser.parseRequestHead(
            Array(
                """
                :method: GET\r\n:scheme: https\r\n:authority: rpc.test\r\n:path: /watch\r\n\r\n
                """.utf8))
        exchange.response?.trailers = HeaderFields([("grpc-status", "0")])
        exchange.http2 = HTTP2Facts()
        exchange.http2?.clientStream = StreamID(rawValue: 5)
        exchange.http2?.reset = .init(side: .client, isOurs: false, code: .cancel)
        return exchange
    }

    private static var chat: Exchange {
        var exchange = exchange(
            .get, url("http", "chat.test", 80, "/room"),
            response: SampleExchange.response(101, [("Upgrade", "websocket")], []))
        exchange.upgradedTo = "websocket"
        return exchange
    }
}
