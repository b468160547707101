internal import ProxydCaptureModel
internal import ProxydContentCoding
package import ProxydFilter
internal import ProxydFilterTestSupport
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// An exchange as filters see it that never was in a store: made of the news that a recorder gets,
/// as an engine would that decides on live messages.
package struct RecordedSubject: FilterSubject {
    package var update: ExchangeUpdate
    package var client: ConnectionRecord?
    package var server: ConnectionRecord?
    package var annotations = Exchange.Annotations()

    /// A whole exchange.
    package init(_ update: ExchangeUpdate) { self.update = update }

    package func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .method: update.requestHead?.method.rawValue
        case .scheme: update.url?.scheme
        case .host: update.url?.host
        case .path: update.url?.pathText
        case .query: update.url?.queryText
        case .url: update.url?.description
        case .requestType: update.requestHead?.fields["Content-Type"]
        case .responseType: update.responseHead?.fields["Content-Type"]
        case .client: client?.peerAddress
        case .server: server?.peerAddress
        case .process: client?.process?.name
        case .namedClient: client?.arrival?.proxyProtocolPeer
        case .listener: client?.arrival?.listener
        case .user: update.user
        case .upstream: server?.upstream
        case .error: update.failure?.description
        case .refused: update.responseFault?.refusal?.reason
        case .repaired:
            update.responseFault.flatMap {
                $0.repairs.isEmpty ? nil : $0.repairs.joined(separator: "\n")
            }
        case .state: update.state.rawValue
        case .note: annotations.note
        case .upgradedTo: update.upgradedTo
        case .spokenProtocol: spokenProtocol?.rawValue
        case .reset: update.http2?.reset?.code.description
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        case .grpcStatus: grpcStatus.map { GRPCStatus($0).name }
        case .store: nil
        }
    }

    private var grpcPath: GRPCPath? {
        GRPCPath(path: text(.path), requestType: text(.requestType))
    }

    private var grpcStatus: Int64? {
        if let status = update.grpcStatus { return status }
        let inTrailers = update.responseTrailers?["grpc-status"]
        let isGRPC = text(.responseType)?.hasPrefix("application/grpc") == true
        return (inTrailers ?? (isGRPC ? update.responseHead?.fields["grpc-status"] : nil))
            .flatMap { Int64($0) }
    }

    private var messageCount: Int64? {
        let count = update.messages.count { $0.kind.isData }
        return count > 0 || spokenProtocol?.hasMessages == true ? Int64(count) : nil
    }

    package func responseJSONValues(at path: String) -> [String?] {
        let body = decodedBody(of: .response) ?? []
        return JSONBodyValues.values(
            at: path, in: body.span, contentType: text(.responseType))
    }

    package var appliedRules: [String] {
        update.events.compactMap { if case .appliedRule(let rule) = $0 { rule.rule } else { nil } }
    }

    package func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        update.messages.contains { message in
            var bytes: [UInt8] = []
            switch message.content {
            case .bytes(let held): bytes = held
            case .body(let range):
                let side: FilterSide = message.direction == .toServer ? .request : .response
                let body = decodedBody(of: side) ?? []
                bytes = Array(body[Int(range.lowerBound)..<Int(range.upperBound)])
            }
            let subject = FilterMessage(
                message.kind, bytes, message.direction, byteCount: message.byteCount,
                problem: message.problem)
            return messages.contains(subject) && holds(subject)
        }
    }

    package var graphQLOperations: [FilterGraphQLOperation] {
        let nothing: [UInt8] = []
        let query = Array(update.url?.query ?? [])
        let body = update.requestBody.isComplete ? decodedBody(of: .request) ?? [] : []
        let type = text(.requestType)
        let inQuery = GraphQLRequest.operations(
            in: ParameterExtractor.extract(query: query.span, contentType: nil, body: nothing.span))
        let inBody = GraphQLRequest.operations(
            in: ParameterExtractor.extract(query: nothing.span, contentType: type, body: body.span))
        let document = GraphQLRequest.operation(ofBody: body.span, contentType: type)
        return (inQuery + inBody + [document].compactMap { $0 }).map {
            FilterGraphQLOperation(type: $0.kind?.rawValue ?? "", name: $0.name ?? "")
        }
    }

    private var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: update.state, upgradedTo: update.upgradedTo, requestType: text(.requestType),
            responseType: text(.responseType), version: update.requestHead?.version,
            scheme: update.url?.scheme)
    }

    package func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: update.id.rawValue
        case .port: update.url.map { Int64($0.port) }
        case .status: update.responseHead.map { Int64($0.status) }
        case .responseSize: update.responseBody.byteCount
        case .requestSize: update.requestBody.byteCount
        case .duration: update.state == .active ? nil : update.timeline.totalDuration
        case .held: update.heldNs > 0 ? update.heldNs : nil
        // What these tests record is sent as it came.
        case .receivedStatus: nil
        case .started: update.timeline.wallStart
        case .replayOf: update.replayOf?.rawValue
        case .pinned: annotations.isPinned ? 1 : 0
        case .stream: update.http2?.clientStream.map { Int64($0.rawValue) }
        case .httpVersion: update.requestHead?.version.number
        case .messageCount: messageCount
        case .webSocketMessageCount: spokenProtocol == .webSocket ? messageCount : nil
        case .grpcStatus: grpcStatus
        }
    }

    package var tags: [String] { annotations.tags }

    package func parameterValues(named name: String) -> [String?] {
        let nothing: [UInt8] = []
        let sent = Array(update.url?.query ?? [])
        let query = ParameterExtractor.extract(
            query: sent.span, contentType: nil, body: nothing.span)
        let isWhole = update.requestBody.byteCount == Int64(update.requestBody.appended.count)
        let isDecodable = isWhole && update.requestBody.isComplete
        let body = isDecodable ? decodedBody(of: .request) ?? nothing : nothing
        let inBody = ParameterExtractor.extract(
            query: nothing.span, contentType: text(.requestType), body: body.span)
        return (query + inBody).filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    package func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: update.requestHead?.fields.pairs ?? []
        case .response: update.responseHead?.fields.pairs ?? []
        }
    }

    package func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: update.requestTrailers?.pairs ?? []
        case .response: update.responseTrailers?.pairs ?? []
        }
    }

    package func decodedBody(of side: FilterSide) -> [UInt8]? {
        let kept = side == .request ? update.requestBody.appended : update.responseBody.appended
        guard !kept.isEmpty else { return nil }
        let fields = side == .request ? update.requestHead?.fields : update.responseHead?.fields
        let codings = fields?.values(named: "Content-Encoding") ?? []
        guard !codings.isEmpty else { return kept }
        return ContentDecoder.decode(
            kept.span, contentEncoding: codings.joined(separator: ",")
        ).bytes
    }
}
