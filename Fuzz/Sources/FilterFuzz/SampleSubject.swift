internal import Capture
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A stored exchange as filters look at it, without the store. The bodies of the samples have no
/// content coding.
struct SampleSubject: FilterSubject, Sendable {
    let row: ExchangeRow
    let exchange: Exchange
    let parameters: [ExtractedParameter]
    let messages: [MessageRow]

    func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .method: row.method
        case .scheme: row.scheme
        case .host: row.host
        case .path: row.path
        case .query: row.query
        case .url: exchange.request.url?.description
        case .requestType: row.requestContentType
        case .responseType: row.responseContentType
        case .client: exchange.client?.peerAddress
        case .server: exchange.server?.peerAddress
        case .process: exchange.client?.process?.name
        case .namedClient: exchange.client?.arrival?.proxyProtocolPeer
        case .listener: exchange.client?.arrival?.listener
        case .user: exchange.user
        case .upstream: exchange.server?.upstream
        case .error: exchange.failure?.description
        case .refused: exchange.responseFault?.refusal?.reason
        case .repaired:
            exchange.responseFault.flatMap {
                $0.repairs.isEmpty ? nil : $0.repairs.joined(separator: "\n")
            }
        case .state: exchange.state.rawValue
        case .note: exchange.annotations.note
        case .upgradedTo: exchange.upgradedTo
        case .spokenProtocol: row.spokenProtocol?.rawValue
        case .reset: exchange.http2?.reset?.code.description
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        case .grpcStatus: row.grpcStatus.map { GRPCStatus(Int64($0)).name }
        case .store: row.storeName
        }
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: exchange.id.rawValue
        case .port: exchange.request.url.map { Int64($0.port) }
        case .status: row.status.map { Int64($0) }
        case .responseSize: row.responseBodyByteCount
        case .requestSize: exchange.request.body.byteCount
        case .duration: row.durationNs
        case .held: row.heldNs
        case .receivedStatus: row.receivedStatus.map { Int64($0) }
        case .started: row.startedAtNs
        case .replayOf: exchange.replayOf?.rawValue
        case .pinned: exchange.annotations.isPinned ? 1 : 0
        case .stream: row.stream.map { Int64($0) }
        case .httpVersion: exchange.request.head?.version.number
        case .messageCount: row.messageCount
        case .webSocketMessageCount: row.spokenProtocol == .webSocket ? row.messageCount : nil
        case .grpcStatus: row.grpcStatus.map { Int64($0) }
        }
    }

    private var grpcPath: GRPCPath? {
        GRPCPath(path: row.path, requestType: row.requestContentType)
    }

    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        self.messages.contains { messages.contains($0) && holds($0) }
    }

    var graphQLOperations: [FilterGraphQLOperation] {
        GraphQLRequest.operations(in: parameters).map {
            FilterGraphQLOperation(type: $0.kind?.rawValue ?? "", name: $0.name ?? "")
        }
    }

    var tags: [String] { exchange.annotations.tags }

    func parameterValues(named name: String) -> [String?] {
        parameters.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: exchange.request.head?.fields.pairs ?? []
        case .response: exchange.response?.head.fields.pairs ?? []
        }
    }

    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: exchange.request.trailers?.pairs ?? []
        case .response: exchange.response?.trailers?.pairs ?? []
        }
    }

    func decodedBody(of side: FilterSide) -> [UInt8]? {
        let body = side == .request ? exchange.request.body : exchange.response?.body
        return body.flatMap { $0.kept.isEmpty ? nil : $0.kept }
    }

    func responseJSONValues(at path: String) -> [String?] {
        guard let body = decodedBody(of: .response) else { return [] }
        return JSONBodyValues.values(
            at: path, in: body.span, contentType: row.responseContentType)
    }

    var appliedRules: [String] { row.rules }
}
