import ProxydCaptureModel
import ProxydContentCoding
import ProxydFilter
import ProxydHTTPModel
import ProxydParameterCoding

/// An exchange as filters see it that never was in a store: made of the news that a recorder gets,
/// as an engine would that decides on live messages.
struct RecordedSubject: FilterSubject {
    var update: ExchangeUpdate
    var client: ConnectionRecord?
    var server: ConnectionRecord?
    var annotations = Exchange.Annotations()

    /// A whole exchange.
    init(_ update: ExchangeUpdate) { self.update = update }

    func text(_ column: FilterTextColumn) -> String? {
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
        }
    }

    private var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: update.state, upgradedTo: update.upgradedTo, requestType: text(.requestType),
            responseType: text(.responseType), version: update.requestHead?.version,
            scheme: update.url?.scheme)
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: update.id.rawValue
        case .port: update.url.map { Int64($0.port) }
        case .status: update.responseHead.map { Int64($0.status) }
        case .responseSize: update.responseBody.byteCount
        case .requestSize: update.requestBody.byteCount
        case .duration: update.state == .active ? nil : update.timeline.totalDuration
        case .started: update.timeline.wallStart
        case .replayOf: update.replayOf?.rawValue
        case .pinned: annotations.isPinned ? 1 : 0
        case .stream: update.http2?.clientStream.map { Int64($0.rawValue) }
        case .httpVersion: update.requestHead?.version.number
        }
    }

    var tags: [String] { annotations.tags }

    func parameterValues(named name: String) -> [String?] {
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

    func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: update.requestHead?.fields.pairs ?? []
        case .response: update.responseHead?.fields.pairs ?? []
        }
    }

    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: update.requestTrailers?.pairs ?? []
        case .response: update.responseTrailers?.pairs ?? []
        }
    }

    func decodedBody(of side: FilterSide) -> [UInt8]? {
        let kept = side == .request ? update.requestBody.appended : update.responseBody.appended
        guard !kept.isEmpty else { return nil }
        let fields = side == .request ? update.requestHead?.fields : update.responseHead?.fields
        let codings = fields?.values(named: "Content-Encoding") ?? []
        guard !codings.isEmpty else { return kept }
        return ContentDecoder.decode(
            kept.span, contentEncoding: codings.joined(separator: ",")
        ).octets
    }
}
