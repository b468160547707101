internal import ProxydHTTPModel

/// Makes exchanges up as a day of an API's traffic has them: hosts, paths, methods, statuses,
/// parameters, sizes and durations all differ, so that indexes cost what they cost in life.
struct VariedExchange {
    private static let services = ["api", "auth", "cdn", "shop", "search", "mail", "events", "img"]
    private static let things = [
        "users", "orders", "items", "sessions", "carts", "invoices", "reports", "tags", "devices",
    ]
    private static let words = [
        "coffee", "lamp", "bicycle", "café", "window", "garden", "paper", "river", "violin",
    ]
    /// Between two exchanges, in nanoseconds: a million of them are most of a day.
    static let intervalNs: Int64 = 80_000_000

    private var random = Randomness(seed: 42)
    private let wallStart: Int64

    /// Exchanges that began from `wallStart` on, in nanoseconds since 1970.
    init(wallStart: Int64) { self.wallStart = wallStart }

    /// The next one, whole, under a number.
    mutating func update(_ id: ExchangeID, number: Int) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: id, state: .complete, timeline: timeline(number), isFirst: true)
        let url = url(number)
        let method = method()
        update.url = url
        let hasBody = method == .post || method == .put
        let body = hasBody ? requestBody(number) : (type: "", text: "")
        update.requestHead = requestHead(method, url, body)
        update.requestBody.appended = Array(body.text.utf8)
        update.requestBody.byteCount = Int64(body.text.utf8.count)
        update.requestBody.isComplete = true
        guard Int.random(in: 0..<200, using: &random) > 0 else {
            update.state = .failed
            update.failure = ExchangeFailure(
                origin: .upstream, kind: .connectionRefused,
                message: "the server refused the connection")
            return update
        }
        answer(&update, number)
        return update
    }

    private mutating func answer(_ update: inout ExchangeUpdate, _ number: Int) {
        let status = status()
        let text = responseBody(number)
        update.responseHead = ResponseHead(
            status: status, reason: status < 400 ? "OK" : "No",
            fields: HeaderFields([
                (name: "Content-Type", value: "application/json"),
                (name: "Content-Length", value: String(text.utf8.count)),
                (name: "X-Request-Id", value: String(random.next(), radix: 36)),
            ]))
        update.responseBody.appended = Array(text.utf8)
        update.responseBody.byteCount = Int64(text.utf8.count)
        update.responseBody.isComplete = true
    }

    private mutating func url(_ number: Int) -> RawURL {
        let service = pick(VariedExchange.services)
        let host = "\(service)\(random.skewed(below: 60)).example.com"
        let thing = pick(VariedExchange.things)
        var origin =
            "/v\(Int.random(in: 1...3, using: &random))/\(thing)/\(random.skewed(below: 90_000))"
        if Bool.random(using: &random) {
            origin +=
                "?page=\(random.skewed(below: 500))&q=\(number % 97)&tag=\(pick(VariedExchange.things))"
        }
        return RawURL(scheme: "https", host: host, port: 443, origin: Array(origin.utf8))
    }

    private mutating func method() -> HTTPMethod {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<68: .get
        case ..<88: .post
        case ..<95: .put
        default: .delete
        }
    }

    private mutating func status() -> Int {
        switch Int.random(in: 0..<1_000, using: &random) {
        case ..<850: 200
        case ..<900: 204
        case ..<930: 304
        case ..<970: 404
        case ..<980: 401
        case ..<995: 500
        default: 503
        }
    }

    private mutating func requestBody(_ number: Int) -> (type: String, text: String) {
        let word = pick(VariedExchange.words)
        if Bool.random(using: &random) {
            return (
                "application/x-www-form-urlencoded", "name=\(word)&count=\(number % 50)&note=a+b"
            )
        }
        let tag = pick(VariedExchange.things)
        return (
            "application/json",
            #"{"user":{"id":\#(number),"name":"\#(word)"},"tags":["\#(tag)","new"]}"#
        )
    }

    private mutating func responseBody(_ number: Int) -> String {
        let word = pick(VariedExchange.words)
        let item = #"{"id":\#(number),"name":"\#(word)","ok":true},"#
        let list = String(repeating: item, count: 1 + random.skewed(below: 24))
        return #"{"items":[\#(list.dropLast())],"trace":"\#(String(random.next(), radix: 36))"}"#
    }

    private func requestHead(
        _ method: HTTPMethod, _ url: RawURL, _ body: (type: String, text: String)
    ) -> RequestHead {
        var fields: [(name: String, value: String)] = [
            (name: "Host", value: url.authority), (name: "User-Agent", value: "generator/1"),
            (name: "Accept", value: "application/json"),
        ]
        if !body.type.isEmpty {
            fields.append((name: "Content-Type", value: body.type))
            fields.append((name: "Content-Length", value: String(body.text.utf8.count)))
        }
        return RequestHead(
            method: method, target: Array(url.description.utf8), fields: HeaderFields(fields))
    }

    private mutating func timeline(_ number: Int) -> Timeline {
        var timeline = Timeline(
            wallStart: wallStart &+ Int64(number) &* VariedExchange.intervalNs, start: 0)
        var offset: Int64 = 0
        for moment in [
            Moment.requestFirstByte, .requestHead, .requestLastByte, .sendStart, .sendEnd,
        ] {
            offset += Int64(1_000 + random.skewed(below: 80_000))
            timeline[moment] = offset
        }
        offset += Int64(200_000 + random.skewed(below: 4_000_000_000))
        for moment in [
            Moment.responseFirstByte, .responseHead, .responseLastByte, .delivered, .ended,
        ] {
            timeline[moment] = offset
            offset += Int64(1_000 + random.skewed(below: 3_000_000))
        }
        return timeline
    }

    private mutating func pick(_ values: [String]) -> String {
        values[random.skewed(below: values.count)]
    }
}
