public import ProxydHTTPModel

extension Exchange {
    /// A complete exchange with api.test over plain HTTP. Later ones take longer: exchange 2 takes
    /// 20 ms.
    public static func sample(
        _ id: Int64, _ target: String = "/", method: HTTPMethod = "GET", status: Int = 200,
        type: String = "text/plain", body: String = "", requestType: String = "text/plain",
        requestBody: String = ""
    ) -> Exchange {
        let url = RawURL(scheme: "http", host: "api.test", port: 80, origin: Array(target.utf8))
        let head = RequestHead(
            method: method, target: Array(target.utf8),
            fields: HeaderFields([("Host", "api.test"), ("Content-Type", requestType)]))
        let response = Response(
            head: ResponseHead(
                status: status, reason: "", fields: HeaderFields([("Content-Type", type)])),
            body: Body(Array(body.utf8)))
        var timeline = Timeline(wallStart: 1_763_632_800_000_000_000, start: 0)
        for (moment, time) in moments(id) { timeline[moment] = time }
        return Exchange(
            id: ExchangeID(rawValue: id), state: .complete,
            request: Request(url: url, head: head, body: Body(Array(requestBody.utf8))),
            response: response, timeline: timeline)
    }

    private static func moments(_ id: Int64) -> [(Moment, Int64)] {
        let end = id * 10_000_000
        return [
            (.requestFirstByte, 0), (.requestLastByte, 100_000), (.connectStart, 300_000),
            (.connectEnd, 1_000_000), (.sendStart, 1_000_000), (.sendEnd, 1_200_000),
            (.responseFirstByte, end - 1_000_000), (.responseLastByte, end - 500_000),
            (.delivered, end),
        ]
    }
}
