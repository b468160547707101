import ProxydHTTPModel

/// What the examples of messages and calls speak of.
extension FilterManualStore {
    /// 12 a WebSocket that was closed, 13 prices as events, 14 a gRPC call that found nothing, 15 a
    /// query of GraphQL, 16 a mutation.
    static func record(into sink: some ExchangeSink) {
        for update in [talk, prices, hello, basket, buy] {
            let id = sink.nextExchangeID()
            var named = ExchangeUpdate(
                id: id, state: .complete, timeline: update.timeline, isFirst: true)
            named.url = update.url
            named.requestHead = update.requestHead
            named.requestBody = update.requestBody
            named.responseHead = update.responseHead
            named.responseBody = update.responseBody
            named.responseTrailers = update.responseTrailers
            named.upgradedTo = update.upgradedTo
            named.messages = update.messages
            sink.record(named)
        }
    }

    private static func update(
        _ url: RawURL, requestType: String? = nil, body: String = "", status: Int = 200,
        responseType: String? = nil
    ) -> ExchangeUpdate {
        var timeline = Timeline(wallStart: morning, start: 0)
        timeline[.requestFirstByte] = 0
        timeline[.delivered] = 35_000_000
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 0), state: .complete, timeline: timeline, isFirst: true)
        let type = requestType.map { [(name: "Content-Type", value: $0)] } ?? []
        update.url = url
        update.requestHead = RequestHead(
            method: requestType == nil ? .get : .post, target: url.origin,
            fields: HeaderFields([(name: "Host", value: url.authority)] + type))
        update.requestBody.appended = Array(body.utf8)
        update.requestBody.byteCount = Int64(body.utf8.count)
        update.requestBody.isComplete = true
        update.responseHead = ResponseHead(
            status: status, reason: "",
            fields: HeaderFields(responseType.map { [(name: "Content-Type", value: $0)] } ?? []))
        update.responseBody.isComplete = true
        return update
    }

    private static func message(
        _ position: Int64, _ kind: MessageRecord.Kind, _ direction: MessageRecord.Direction,
        _ bytes: [UInt8]
    ) -> MessageRecord {
        MessageRecord(
            position: position, direction: direction, kind: kind, offsetNs: position * 1_000_000,
            byteCount: Int64(bytes.count), content: .bytes(bytes))
    }

    private static var talk: ExchangeUpdate {
        var update = update(url("http", "chat.test", 80, "/talk"), status: 101)
        update.upgradedTo = "websocket"
        update.messages = [
            message(0, .text, .toServer, Array("hello".utf8)),
            message(1, .text, .toClient, Array("hello, you".utf8)),
            message(2, .text, .toClient, Array(#"{"apples": 3}"#.utf8)),
            message(3, .close, .toServer, [3, 0xE8]),
        ]
        return update
    }

    private static var prices: ExchangeUpdate {
        let event = "event: price\nid: 7\ndata: apples 12\n"
        var update = update(
            url("http", "live.test", 80, "/prices"), responseType: "text/event-stream")
        update.responseBody.appended = Array((event + "\n").utf8)
        update.responseBody.byteCount = Int64(event.utf8.count + 1)
        update.messages = [
            MessageRecord(
                direction: .toClient, kind: .event, byteCount: Int64(event.utf8.count),
                content: .body(0..<Int64(event.utf8.count)))
        ]
        return update
    }

    private static var hello: ExchangeUpdate {
        var update = update(
            url("http", "rpc.test", 80, "/hello.Greeter/SayHello"),
            requestType: "application/grpc+proto", responseType: "application/grpc")
        update.responseTrailers = HeaderFields([
            ("grpc-status", "5"), ("grpc-message", "no%20such%20name"),
        ])
        return update
    }

    private static var basket: ExchangeUpdate {
        graphQL(#"{"operationName": "Basket", "query": "query Basket { total }"}"#)
    }

    private static var buy: ExchangeUpdate {
        graphQL(#"[{"query": "mutation Buy { buy(id: 3) { total } }"}]"#)
    }

    private static func graphQL(_ body: String) -> ExchangeUpdate {
        update(
            url("http", "graph.test", 80, "/graphql"), requestType: "application/json", body: body)
    }
}
