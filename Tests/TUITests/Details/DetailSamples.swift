import ProxydHTTPModel

/// Exchanges for the detail screen.
enum DetailSamples {
    static let started: Int64 = 1_763_632_800_123_456_789

    static var timeline: Timeline {
        var timeline = Timeline(wallStart: started, start: 0)
        let moments: [(Moment, Int64)] = [
            (.requestFirstByte, 0), (.requestHead, 100_000), (.requestLastByte, 200_000),
            (.dnsStart, 200_000), (.dnsEnd, 1_200_000), (.connectStart, 1_200_000),
            (.connectEnd, 3_200_000), (.tlsStart, 3_200_000), (.tlsEnd, 9_200_000),
            (.sendStart, 9_200_000), (.sendEnd, 9_300_000), (.responseFirstByte, 33_300_000),
            (.responseHead, 33_400_000), (.responseLastByte, 45_000_000),
            (.delivered, 45_123_456),
        ]
        for (moment, time) in moments { timeline[moment] = time }
        return timeline
    }

    static func exchange(
        _ id: Int64, _ method: HTTPMethod, _ origin: String,
        _ requestFields: [(name: String, value: String)] = [], _ requestBody: String = "",
        status: Int = 200, _ responseFields: [(name: String, value: String)], _ body: [UInt8],
        state: ExchangeState = .complete
    ) -> Exchange {
        let url = RawURL(scheme: "https", host: "api.test", port: 443, origin: Array(origin.utf8))
        let fields = HeaderFields([(name: "Host", value: "api.test")] + requestFields)
        return Exchange(
            id: ExchangeID(rawValue: id), state: state,
            request: Request(
                url: url, head: RequestHead(method: method, target: url.origin, fields: fields),
                body: Body(Array(requestBody.utf8))),
            response: Response(
                head: ResponseHead(
                    status: status, reason: "Fine", fields: HeaderFields(responseFields)),
                body: Body(body)), timeline: timeline,
            client: ConnectionRecord(
                id: ConnectionID(rawValue: 1), side: .client, openedAt: started,
                peerAddress: "127.0.0.1:49152", localAddress: "127.0.0.1:8080",
                process: .init(pid: 77, name: "curl")),
            server: ConnectionRecord(
                id: ConnectionID(rawValue: 2), side: .server, openedAt: started,
                peerAddress: "192.0.2.1:443", localAddress: "192.0.2.2:50000",
                security: .init(
                    version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", alpn: "http/1.1",
                    serverName: "api.test")))
    }

    /// A GET that was answered with a body.
    static func answer(
        _ contentType: String, _ body: [UInt8], state: ExchangeState = .complete
    ) -> Exchange {
        exchange(
            1, .get, "/", [], "", [(name: "Content-Type", value: contentType)], body,
            state: state)
    }

    /// A POST with a query, a form, cookies and an answer of JSON.
    static var post: Exchange {
        var exchange = exchange(
            1, .post, "/orders?dry=1&q=caf%C3%A9+noir",
            [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Cookie", value: "sid=abc; theme=dark"),
            ], "item=42&note=two+words", status: 201,
            [
                (name: "Content-Type", value: "application/json"),
                (name: "Set-Cookie", value: "sid=def; Path=/; HttpOnly; SameSite=Lax"),
            ],
            Array(
                (#"{"order":{"id":7,"items":[{"sku":"A-1","count":2},"#
                    + #"{"sku":"B-2","count":1}]},"ok":true}"#).utf8))
        exchange.annotations = .init(note: "the first order", tags: ["shop"], isPinned: true)
        return exchange
    }

    /// The POST, of which rules changed both messages.
    static var ruled: Exchange {
        var exchange = post
        exchange.request.sentHead = RequestHead(
            method: .post, target: Array("/orders?dry=1&q=caf%C3%A9+noir".utf8),
            fields: HeaderFields([
                (name: "Host", value: "staging.test"),
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "X-Debug", value: "1"), (name: "Content-Length", value: "22"),
            ]))
        exchange.response?.sentHead = ResponseHead(
            status: 503, reason: "Service Unavailable",
            fields: HeaderFields([(name: "Content-Type", value: "application/json")]))
        exchange.response?.sentBody = Body(
            Array(
                (#"{"order":{"id":7,"items":[{"sku":"A-1","count":9},"#
                    + #"{"sku":"B-2","count":1}]},"ok":false}"#).utf8))
        exchange.appliedRules = [
            AppliedRule(rule: "staging", phase: .request, outcome: "changed"),
            AppliedRule(
                rule: "break the shop", phase: .response, outcome: "changed",
                detail: "2 of 3 edits"),
            AppliedRule(rule: "slow", phase: .response, outcome: "delayed", detail: "200 ms"),
        ]
        return exchange
    }

    /// Text with everything that is hard to draw.
    static var hostile: Exchange {
        exchange(
            2, .get, "/evil\u{1B}]52;c;ZXZpbA==\u{07}", [], "",
            [
                (name: "Content-Type", value: "text/plain; charset=utf-8"),
                (name: "X-Evil", value: "a\u{1B}[2J\u{202E}b"),
            ],
            Array(
                ("日本語 👨\u{200D}👩\u{200D}👧 e\u{301}\u{302} \u{1B}[31mred\u{9B}"
                    + " \u{5D0}\u{5D1}\u{202E}x\tend\n").utf8))
    }

    /// A body that was cut when it was recorded, of a request that failed.
    static var cut: Exchange {
        var exchange = exchange(
            3, .get, "/large", [], "", status: 500,
            [(name: "Content-Type", value: "text/plain")], Array("beginning".utf8),
            state: .failed)
        exchange.response?.body.byteCount = 200_000_000
        exchange.failure = ExchangeFailure(
            origin: .upstream, kind: .closedEarly, message: "the server went away")
        return exchange
    }
}
