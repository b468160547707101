internal import ProxydFilter
internal import ProxydHTTPModel
public import ProxydTestSupport

/// Random rows and filters out of few words, so that they meet.
public enum RandomFilters {
    /// What texts are made of.
    public static let words = ["a", "B", "ab", "c%", "d_e", "é", "'x", "10", "4", "A.b", "\\", "?"]

    /// An exchange.
    public static func row(id: Int64, _ generator: inout SplitMix) -> FilterRow {
        var row = FilterRow()
        row.id = id
        row.texts = [.state: ["active", "complete", "failed", "tunnel"].pick(&generator)]
        if chance(5, &generator) {
            row.texts[.method] = ["GET", "POST", "get"].pick(&generator)
            row.texts[.scheme] = ["http", "https", "tunnel"].pick(&generator)
            row.texts[.host] = ["a.b", "A.B", "::1", "ab", "é.x"].pick(&generator)
            row.texts[.path] = "/" + words.pick(&generator)
            row.numbers[.port] = [80, 443, 8080].pick(&generator)
            if chance(1, &generator) { row.texts[.query] = words.pick(&generator) }
        } else {
            row.numbers[.port] = nil
        }
        for column in [
            FilterTextColumn.requestType, .responseType, .client, .server, .note, .upgradedTo,
            .refused, .repaired, .user,
        ] where chance(1, &generator) {
            row.texts[column] = words.pick(&generator)
        }
        row.version = [nil, 10, 11, 20, 30].pick(&generator)
        row.texts[.reset] = [nil, nil, "CANCEL", "NO_ERROR", "77"].pick(&generator)
        row.numbers[.stream] = [nil, 1, 5].pick(&generator)
        if chance(1, &generator) {
            row.texts[.requestType] =
                ["Application/grpc+proto", "application/grpc-web"].pick(&generator)
        }
        if chance(1, &generator) { row.texts[.responseType] = "text/event-stream;a" }
        if chance(1, &generator) { row.texts[.upgradedTo] = "websocket" }
        if row.texts[.client] != nil {
            for column in [FilterTextColumn.process, .listener, .namedClient]
            where chance(2, &generator) { row.texts[column] = words.pick(&generator) }
        }
        if row.texts[.server] != nil, chance(2, &generator) {
            row.texts[.upstream] = words.pick(&generator)
        }
        if chance(1, &generator) { row.texts[.error] = "upstream loop: " + words.pick(&generator) }
        row.numbers[.status] = [nil, 200, 204, 404, 410, 502].pick(&generator)
        row.numbers[.started] = Int64.random(in: 0...100, using: &generator) * 1_000_000_000
        row.numbers[.responseSize] = [0, 10, 1_000, 10_240].pick(&generator)
        row.numbers[.requestSize] = [0, 10, 1_000].pick(&generator)
        row.numbers[.duration] = [nil, 0, 250_000_000, 250_500_000, 1_500_000_000].pick(&generator)
        row.numbers[.replayOf] = [nil, nil, 1].pick(&generator)
        row.numbers[.pinned] = [nil, 0, 1].pick(&generator)
        fillLists(of: &row, &generator)
        fillMessages(of: &row, &generator)
        return row
    }

    private static func fillLists(of row: inout FilterRow, _ generator: inout SplitMix) {
        while chance(1, &generator) { row.tags.append(words.pick(&generator)) }
        while chance(1, &generator) { row.appliedRules.append(words.pick(&generator)) }
        while chance(2, &generator) {
            let value: String? = chance(3, &generator) ? words.pick(&generator) : nil
            row.parameters.append((name: ["a", "b.c[1]", "A"].pick(&generator), value: value))
        }
        for side in FilterSide.allCases {
            while chance(1, &generator) {
                let name = ["A", "a", "X-b"].pick(&generator)
                row.headers[side, default: []].append((name, words.pick(&generator)))
            }
            while chance(1, &generator) {
                row.trailers[side, default: []].append(("A", words.pick(&generator)))
            }
            if chance(1, &generator) {
                row.bodies[side] = Array(words.pick(&generator).utf8) + [0xFF, 0x0A]
            }
        }
        while row.bodies[.response] != nil, chance(2, &generator) {
            let value: String? = chance(3, &generator) ? words.pick(&generator) : nil
            row.responseLeaves.append((path: ["a", "b.c[1]", "A"].pick(&generator), value: value))
        }
    }

    private static func fillMessages(of row: inout FilterRow, _ generator: inout SplitMix) {
        if chance(1, &generator), row.texts[.path] != nil {
            row.texts[.path] = ["/a.B/ab", "/a/A.b/", "//", "/a", "ab/c/d"].pick(&generator)
        }
        row.numbers[.grpcStatus] = [nil, 0, 5, 77].pick(&generator)
        while chance(1, &generator) {
            let direction: MessageRecord.Direction =
                chance(1, &generator) ? .toServer : .toClient
            let kind = MessageRecord.Kind.allCases.pick(&generator)
            let word = words.pick(&generator)
            let bytes: [UInt8] =
                switch kind {
                case .close: [[], [3], [3, 0xE8], [4, 0, 0x61, 0xFF]].pick(&generator)
                case .event: Array("id: \(word)\nevent:\(word)\r\ndata: a\ndata:\(word)\n".utf8)
                case .trailers: Array("Grpc-Message: %61\(word)\r\n".utf8)
                default: Array(word.utf8) + [0, 0xFF] + Array(words.pick(&generator).utf8)
                }
            row.messages.append(FilterMessage(kind, bytes, direction))
        }
        while chance(1, &generator) {
            let type = ["", "query", "mutation"].pick(&generator)
            let name = ["", "a", "B", "ab"].pick(&generator)
            row.graphQLOperations.append(FilterGraphQLOperation(type: type, name: name))
        }
    }

    /// `weight` times as likely as not.
    private static func chance(_ weight: Int, _ generator: inout SplitMix) -> Bool {
        Int.random(in: 0...weight, using: &generator) > 0
    }

    /// A filter; the deeper the longer.
    public static func filter(depth: Int, _ generator: inout SplitMix) -> String {
        guard depth > 0, chance(2, &generator) else { return test(&generator) }
        let left = filter(depth: depth - 1, &generator)
        let right = filter(depth: depth - 1, &generator)
        return switch Int.random(in: 0..<6, using: &generator) {
        case 0: "(\(left)) or (\(right))"
        case 1: "(\(left)) | \(right)"
        case 2: "\(left) (\(right))"
        case 3: "not (\(left) & \(right))"
        case 4: "!(\(left)) \(right)"
        default: "not (\(left) or not (\(right)))"
        }
    }

    private static func test(_ generator: inout SplitMix) -> String {
        let word = quoted(words.pick(&generator))
        let regex = ["a", "\"^(a|B)$\"", "\"(?i)B\"", "\"\\.\"", "^.$", "[^a]", "x*"]
            .pick(&generator)
        let text = [
            "method", "host", "path", "url", "query", "scheme", "type", "client", "process",
            "user", "listener", "upstream",
            "error", "state", "note", "tag", "rule", "resjson.a", "resjson.b.c[1]", "resjson.A",
            "param.a", "param.b.c[1]", "header.a", "reqheader.X-B",
            "resheader.A", "trailer.a", "h2.reset", "body", "reqbody", "resbody",
            "msg", "ws", "ws.out", "ws.in", "sse.event", "sse.data", "sse.id", "grpc.service",
            "grpc.method", "grpc.message", "graphql.operation", "graphql.type",
        ].pick(&generator)
        let comparison = ["=", "<", "<=", ">", ">="].pick(&generator)
        return [
            word, "\(text):\(word)", "\(text)=\(word)", "\(text)~\(regex)", "\(text)!=\(word)",
            "status\(comparison)404", "status:4", "status=4xx", "size\(comparison)1k",
            "reqsize\(comparison)10", "duration\(comparison)250ms", "id\(comparison)7", "id~1",
            "time\(comparison)1970-01-01T00:00:40Z", "time>-20s", "port:80", "port=8080",
            "stream=5", "stream:1", "proto=h2", "proto:h2c", "proto!=h1", "proto=ws", "proto=sse",
            "proto:grpc", "proto:grpcweb", "proto=tunnel", "proto~^h", "h2.reset=77",
            "h2.reset=cancel", "h2.reset=0", "grpc.status=NOT_FOUND", "grpc.status:5",
            "grpc.status\(comparison)5", "grpc.status!=ok", "grpc.status~^N", "grpc.status:N",
            "ws.count\(comparison)1", "ws.count:1", "msg.count\(comparison)2", "ws.close=1000",
            "ws.close\(comparison)1006", "ws.close=1005", "ws.close!=1000", "ws.close>70000",
            "graphql.operation=\"a\nB\"", "graphql.operation:\"\n\"", "sse.event=message",
            "state=failed", "state!:t", "pinned=yes",
            "pinned!:yes", "pinned:no", "~all", "~q",
            "~s", "~e", "~a", "~marked", "~replay",
            "~u \(regex)", "~m \(regex)", "~c 200", "~d \(regex)", "~h \(regex)", "~bs \(regex)",
            "~t \(regex)", "~src \(regex)", "~dst \(regex)", "~comment \(regex)", "~tcp",
        ].pick(&generator)
    }

    private static func quoted(_ word: String) -> String {
        let escaped = word.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }
}
