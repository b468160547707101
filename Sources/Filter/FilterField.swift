/// A field of a filter; the raw value is its written name.
enum FilterField: String, Sendable, CaseIterable {
    case method, host, port, path, url, query, scheme, status, size, reqsize, duration, time, type
    case header, reqheader, resheader, trailer, param
    case body, reqbody, resbody, resjson
    case client, process, user, listener, upstream, error, refused, repaired, rule, state, tag,
        note, pinned, id, store
    case proto, stream
    case held
    case receivedStatus = "received_status"
    case reset = "h2.reset"
    case msg
    case messageCount = "msg.count"
    case webSocket = "ws"
    case webSocketOut = "ws.out"
    case webSocketIn = "ws.in"
    case webSocketCount = "ws.count"
    case webSocketClose = "ws.close"
    case eventName = "sse.event"
    case eventData = "sse.data"
    case eventID = "sse.id"
    case grpcStatus = "grpc.status"
    case grpcService = "grpc.service"
    case grpcMethod = "grpc.method"
    case grpcMessage = "grpc.message"
    case graphQLOperation = "graphql.operation"
    case graphQLType = "graphql.type"

    /// Whether the field takes an arbitrary name after a dot: `header.Accept`.
    var takesName: Bool {
        switch self {
        case .header, .reqheader, .resheader, .trailer, .param, .resjson: true
        default: false
        }
    }

    /// Looks up a field by its full name, ignoring case: `host`, `h2.reset`.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// What may come between this word and an operator, or nil if no field starts with the word.
    static func naming(of word: String) -> FilterFieldNaming? {
        let word = word.lowercased()
        if !members(of: word).isEmpty { return .words }
        return FilterField(rawValue: word).map { $0.takesName ? .any : .none }
    }

    /// The fields that start with this word and a dot.
    static func members(of word: String) -> [FilterField] {
        let prefix = word.lowercased() + "."
        return allCases.filter { $0.rawValue.hasPrefix(prefix) }
    }

    /// The fields with names similar to a mistyped one, best match first.
    static func near(_ name: String) -> [String] {
        var words: [String] = []
        for field in allCases {
            let word = String(field.rawValue.prefix { $0 != "." })
            if !words.contains(word) { words.append(word) }
        }
        return NearNames.of(name.lowercased(), among: words)
    }
}
