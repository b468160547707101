public import ProxydHTTPModel

/// A short exchange, as most are.
public struct StoredSample: Sendable {
    let query: String
    let body: String

    /// A GET with a query.
    public static let withQuery = StoredSample(query: "?q=caf%C3%A9&page=2", body: "")
    /// A POST of JSON.
    public static let withJSON = StoredSample(
        query: "", body: #"{"user":{"name":"alice"},"items":[1,2,3]}"#)
    /// A POST that calls itself JSON and is not: all looks at a body are taken.
    public static let withText = StoredSample(
        query: "", body: String(repeating: "x", count: 1_024))

    private static let answer = Array(
        #"{"id":42,"name":"small reply","items":[1,2,3,4,5,6,7,8],"ok":true}"#.utf8)

    /// The exchange under a number.
    public func update(_ id: ExchangeID) -> ExchangeUpdate {
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
        update.responseBody.appended = StoredSample.answer
        update.responseBody.byteCount = Int64(StoredSample.answer.count)
        update.responseBody.isComplete = true
        return update
    }
}
