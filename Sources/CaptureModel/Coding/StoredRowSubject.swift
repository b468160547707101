package import ProxydFilter
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads what is not in an exchange's row, for filters; nil or empty where it cannot be read.
package protocol SubjectSource {
    var heads: StoredHeads? { get }
    var responseFault: ResponseFault? { get }
    /// How an HTTP/2 stream was reset.
    var reset: HTTP2Facts.Reset? { get }
    func parameterValues(named name: String) -> [String?]
    /// The stored bytes of a body as received.
    func body(of side: FilterSide) -> [UInt8]
    /// Passes messages of some kinds to the closure, with their whole contents, oldest first,
    /// until it returns false.
    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool)
}

/// A stored exchange for filters to test: heads and bodies are read only when needed.
package struct StoredRowSubject<Source: SubjectSource>: FilterSubject {
    private let row: ExchangeRow
    private let source: Source

    package init(_ row: ExchangeRow, _ source: Source) {
        self.row = row
        self.source = source
    }

    package func text(_ column: FilterTextColumn) -> String? {
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
        case .reset: source.reset?.code.description
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        case .grpcStatus: row.grpcStatus.map { GRPCStatus(Int64($0)).name }
        case .store: row.storeName
        }
    }

    private var grpcPath: GRPCPath? {
        GRPCPath(path: row.path, requestType: row.requestContentType)
    }

    private var fault: ResponseFault? { source.responseFault }

    package func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: row.number
        case .port: row.port.map { Int64($0) }
        case .status: row.status.map { Int64($0) }
        case .responseSize: row.responseBodyByteCount
        case .requestSize: row.requestBodyByteCount
        case .duration: row.durationNs
        case .held: row.heldNs
        case .receivedStatus: row.receivedStatus.map(Int64.init)
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

    package var tags: [String] { row.tags }

    package func parameterValues(named name: String) -> [String?] {
        source.parameterValues(named: name)
    }

    package func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        let stored = source.heads
        switch side {
        case .request: return stored?.requestHead?.fields.pairs ?? []
        case .response: return stored?.responseHead?.fields.pairs ?? []
        }
    }

    package func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        let stored = source.heads
        switch side {
        case .request: return stored?.requestTrailers?.pairs ?? []
        case .response: return stored?.responseTrailers?.pairs ?? []
        }
    }

    package func decodedBody(of side: FilterSide) -> [UInt8]? {
        let bytes = source.body(of: side)
        guard !bytes.isEmpty else { return nil }
        return BodyDecoding.text(bytes, fields(of: side), isCut: row.isBodyCut(side)).bytes
    }

    private func fields(of side: FilterSide) -> HeaderFields? {
        let heads = source.heads
        return side == .request ? heads?.requestHead?.fields : heads?.responseHead?.fields
    }

    package func responseJSONValues(at path: String) -> [String?] {
        let bytes = source.body(of: .response)
        guard !bytes.isEmpty else { return [] }
        let fields = fields(of: .response)
        let body = BodyDecoding.decoded(bytes, fields).bytes
        return JSONBodyValues.values(
            at: path, in: body.span, contentType: fields?.value(.contentType))
    }

    package var appliedRules: [String] { row.rules }

    /// Reads row by row, with at most one message in memory.
    package func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        var isFound = false
        source.forEachMessage(among: messages) { message in
            isFound = holds(message)
            return !isFound
        }
        return isFound
    }

    package var graphQLOperations: [FilterGraphQLOperation] {
        row.graphQL.map {
            FilterGraphQLOperation(type: $0.kind?.rawValue ?? "", name: $0.name ?? "")
        }
    }
}

extension ExchangeRow {
    /// Whether only the start of a body was stored.
    fileprivate func isBodyCut(_ side: FilterSide) -> Bool {
        switch side {
        case .request: requestKeptByteCount < requestBodyByteCount
        case .response: responseKeptByteCount < responseBodyByteCount
        }
    }
}
