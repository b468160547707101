internal import HTTPModel

/// A short exchange, as most are.
struct Sample {
    let query: String
    let body: String

    private static let answer = Array(
        #"{"id":42,"name":"small reply","items":[1,2,3,4,5,6,7,8],"ok":true}"#.utf8)

    /// The exchange under a number.
    func update(_ id: ExchangeID) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: id, state: .complete,
            timeline: Timeline(wallStart: 1_763_712_000_000_000_000, start: 5_000), isFirst: true)
        let url = RawURL(
            scheme: "http", host: "api.example.com", port: 80,
            origin: Array("/items/\(id.rawValue)\(query)".utf8))
        update.url = url
        update.requestHead = RequestHead(
            method: body.isEmpty ? .get : .post, target: Array(url.description.utf8),
            fields: HeaderFields([
                (name: "Host", value: url.authority), (name: "User-Agent", value: "benchmark"),
                (name: "Content-Type", value: "application/json"),
            ]))
        update.requestBody.appended = Array(body.utf8)
        update.requestBody.byteCount = Int64(body.utf8.count)
        update.requestBody.isComplete = true
        update.responseHead = ResponseHead(
            status: 200, reason: "OK",
            fields: HeaderFields([(name: "Content-Type", value: "application/json")]))
        update.responseBody.appended = Sample.answer
        update.responseBody.byteCount = Int64(Sample.answer.count)
        update.responseBody.isComplete = true
        return update
    }
}
