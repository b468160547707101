internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import ProxydStoreCoding

/// A stored exchange for filters to test: heads and bodies are read only when needed.
struct StoredSubject: FilterSubject {
    private let row: ExchangeRow
    private let database: SQLiteConnection

    init(_ row: ExchangeRow, _ database: SQLiteConnection) {
        self.row = row
        self.database = database
    }

    func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .method: row.method
        case .scheme: row.scheme
        case .host: row.host
        case .path: row.path
        case .query: row.query
        case .url: row.url
        case .requestType: row.requestContentType
        case .responseType: row.responseContentType
        case .client: row.clientAddress
        case .namedClient: row.namedClientAddress
        case .server: row.serverAddress
        case .process: row.process
        case .user: row.user
        case .listener: row.listener
        case .upstream: row.upstream
        case .error: row.error
        case .refused: fault?.refusal?.reason
        case .repaired: ResponseFaultCoding.text(of: fault?.repairs ?? [])
        case .state: row.state.rawValue
        case .note: row.note
        case .upgradedTo: row.upgradedTo
        case .spokenProtocol: row.spokenProtocol?.rawValue
        case .reset: reset?.code.description
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        case .grpcStatus: row.grpcStatus.map { GRPCStatus(Int64($0)).name }
        }
    }

    private var grpcPath: GRPCPath? {
        GRPCPath(path: row.path, requestType: row.requestContentType)
    }

    private var fault: ResponseFault? {
        try? StoredExchange.responseFault(of: row.id.rawValue, database)
    }

    private var reset: HTTP2Facts.Reset? {
        try? StoredExchange.reset(of: row.id.rawValue, database)
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: row.id.rawValue
        case .port: row.port.map { Int64($0) }
        case .status: row.status.map { Int64($0) }
        case .responseSize: row.responseBodyByteCount
        case .requestSize: row.requestBodyByteCount
        case .duration: row.durationNs
        case .started: row.startedAtNs
        case .replayOf: row.replayOf?.rawValue
        case .pinned: row.isPinned ? 1 : 0
        case .stream: row.stream.map { Int64($0) }
        case .httpVersion: row.version?.number
        case .messageCount: row.messageCount
        case .webSocketMessageCount: row.spokenProtocol == .webSocket ? row.messageCount : nil
        case .grpcStatus: row.grpcStatus.map { Int64($0) }
        }
    }

    var tags: [String] { row.tags }

    func parameterValues(named name: String) -> [String?] {
        let values = try? database.rows(
            "SELECT value FROM parameter WHERE exchange_id = ? AND name = ?",
            [.integer(row.id.rawValue), .text(name)]
        ) { $0.text(0) }
        return values ?? []
    }

    func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        let stored = try? StoredExchange.heads(of: row.id.rawValue, database)
        switch side {
        case .request: return stored?.requestHead?.fields.pairs ?? []
        case .response: return stored?.responseHead?.fields.pairs ?? []
        }
    }

    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        let stored = try? StoredExchange.heads(of: row.id.rawValue, database)
        switch side {
        case .request: return stored?.requestTrailers?.pairs ?? []
        case .response: return stored?.responseTrailers?.pairs ?? []
        }
    }

    func decodedBody(of side: FilterSide) -> [UInt8]? {
        (try? StoredBody.decoded(of: row.id.rawValue, side, database))?.octets
    }

    func responseJSONValues(at path: String) -> [String?] {
        guard let body = decodedBody(of: .response) else { return [] }
        return JSONBodyValues.values(
            at: path, in: body.span, contentType: row.responseContentType)
    }

    var appliedRules: [String] { row.rules }

    /// Reads row by row, with at most one message in memory.
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        var isFound = false
        try? StoredMessages.forEach(of: row.id.rawValue, among: messages, database) { message in
            isFound = holds(message)
            return !isFound
        }
        return isFound
    }

    var graphQLOperations: [FilterGraphQLOperation] {
        row.graphQL.map {
            FilterGraphQLOperation(type: $0.kind?.rawValue ?? "", name: $0.name ?? "")
        }
    }
}
