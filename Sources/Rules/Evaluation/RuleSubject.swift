internal import ProxydContentCoding
public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import Synchronization

/// An exchange in progress, in the form that filters examine. Expensive values are computed once,
/// when a filter first needs them.
final class RuleSubject: FilterSubject, Sendable {
    /// The fields and body of one message.
    struct Message: Sendable {
        let fields: HeaderFields
        let body: RuledBody

        var contentType: String? { fields.value(.contentType) }
    }

    private let connection: RuledConnection
    private let request: (forwarded: ForwardedRequest, message: Message)?
    private let response: (head: ResponseHead, message: Message)?
    private let known: Mutex<Known>

    /// Expensive values that have been computed.
    private struct Known {
        var parameters: [ExtractedParameter]?
        var decodedBodies: [FilterSide: [UInt8]] = [:]
    }

    init(_ connection: RuledConnection) {
        self.connection = connection
        request = nil
        response = nil
        known = Mutex(Known())
    }

    init(_ connection: RuledConnection, _ request: ForwardedRequest, _ body: RuledBody) {
        self.connection = connection
        self.request = (request, Message(fields: request.head.fields, body: body))
        response = nil
        known = Mutex(Known())
    }

    init(_ subject: RuleSubject, _ response: ForwardedResponse, _ body: RuledBody) {
        connection = subject.connection
        request = subject.request
        known = Mutex(subject.known.withLock { $0 })
        self.response = (response.head, Message(fields: response.head.fields, body: body))
    }

    var requestBody: RuledBody { request?.message.body ?? .coming }

    /// The request without its body, which may be large.
    func withoutBody() -> RuleSubject {
        guard let request else { return self }
        return RuleSubject(connection, request.forwarded, .coming)
    }

    private func message(_ side: FilterSide) -> Message? {
        side == .request ? request?.message : response?.message
    }

    func isKnown(_ moment: FilterMoment) -> Bool {
        switch moment {
        case .connection: true
        case .requestHead: request != nil
        case .requestBody: request?.message.body.bytes != nil
        case .responseHead: response != nil
        case .responseBody: response?.message.body.bytes != nil
        case .end: false
        }
    }

    func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .host: request?.forwarded.url.host ?? connection.host
        case .scheme: request?.forwarded.url.scheme ?? connection.scheme
        case .client: connection.client
        case .namedClient: connection.namedClient
        case .listener: connection.listener
        case .user: connection.user
        case .process: connection.process
        case .method, .path, .query, .url:
            request.flatMap { RuleSubject.text(column, of: $0.forwarded.head, $0.forwarded.url) }
        case .requestType: request?.message.contentType
        case .responseType: response?.message.contentType
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        case .spokenProtocol: spokenProtocol?.rawValue
        case .upgradedTo: upgradedTo
        case .server, .upstream, .error, .refused, .repaired, .state, .note, .reset, .grpcStatus,
            .store:
            nil
        }
    }

    /// A text of the request's line; nil for any other column.
    static func text(
        _ column: FilterTextColumn, of head: borrowing RequestHead, _ url: borrowing RawURL
    ) -> String? {
        switch column {
        case .method: head.method.rawValue
        case .path: url.pathText
        case .query: url.queryText
        case .url: url.description
        default: nil
        }
    }

    /// The protocol that the response switches to (RFC 9110 §15.2.2, RFC 8441 §5).
    private var upgradedTo: String? {
        guard let request, let response else { return nil }
        if response.head.status == 101 { return response.head.fields["Upgrade"]?.lowercased() }
        let isOpened = (200..<300).contains(response.head.status)
        return isOpened ? request.forwarded.head.connectProtocol?.lowercased() : nil
    }

    private var grpcPath: GRPCPath? {
        request.flatMap {
            GRPCPath(path: $0.forwarded.url.pathText, requestType: $0.message.contentType)
        }
    }

    private var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: .active, upgradedTo: upgradedTo, requestType: request?.message.contentType,
            responseType: response?.message.contentType, version: request?.forwarded.head.version,
            scheme: request?.forwarded.url.scheme)
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .port: Int64(request?.forwarded.url.port ?? connection.port)
        case .started: connection.startedAtNs
        case .status: response.map { Int64($0.head.status) }
        case .httpVersion: request?.forwarded.head.version.number
        case .requestSize: request?.message.body.bytes.map { Int64($0.count) }
        case .responseSize: response?.message.body.bytes.map { Int64($0.count) }
        case .stream, .id, .duration, .held, .receivedStatus, .replayOf, .pinned, .messageCount,
            .webSocketMessageCount, .grpcStatus:
            nil
        }
    }

    var tags: [String] { [] }

    func parameterValues(named name: String) -> [String?] {
        parameters.lazy.filter { $0.name == name }.map(\.value)
    }

    private var parameters: [ExtractedParameter] {
        if let parameters = known.withLock({ $0.parameters }) { return parameters }
        let parameters = extracted()
        known.withLock { $0.parameters = parameters }
        return parameters
    }

    private func extracted() -> [ExtractedParameter] {
        guard let request else { return [] }
        let query = Array(request.forwarded.url.query ?? [])
        let body = uncodedBody(of: .request) ?? []
        return ParameterExtractor.extract(
            query: query.span, contentType: request.message.contentType, body: body.span)
    }

    func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        switch side {
        case .request: request?.forwarded.head.fields.pairs ?? []
        case .response: response?.head.fields.pairs ?? []
        }
    }

    func responseJSONValues(at path: String) -> [String?] {
        guard let body = uncodedBody(of: .response) else { return [] }
        return JSONBodyValues.values(
            at: path, in: body.span, contentType: response?.message.contentType)
    }

    var appliedRules: [String] { [] }

    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] { [] }

    func decodedBody(of side: FilterSide) -> [UInt8]? {
        guard let body = uncodedBody(of: side) else { return nil }
        return BodyText.searched(body, contentType: message(side)?.contentType)
    }

    /// A body with its content codings removed.
    private func uncodedBody(of side: FilterSide) -> [UInt8]? {
        if let decoded = known.withLock({ $0.decodedBodies[side] }) { return decoded }
        guard let message = message(side), let bytes = message.body.bytes else { return nil }
        let decoded = BodyEditor.decoded(bytes, message.fields).bytes
        known.withLock { $0.decodedBodies[side] = decoded }
        return decoded
    }

    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool { false }

    var graphQLOperations: [FilterGraphQLOperation] {
        guard let request else { return [] }
        var operations = GraphQLRequest.operations(in: parameters)
        let body = uncodedBody(of: .request) ?? []
        if operations.isEmpty,
            let operation = GraphQLRequest.operation(
                ofBody: body.span, contentType: request.message.contentType)
        {
            operations = [operation]
        }
        return operations.map {
            FilterGraphQLOperation(type: $0.kind?.rawValue ?? "", name: $0.name ?? "")
        }
    }
}

/// What is known about a message's body.
public enum RuledBody: Sendable {
    /// Nothing yet: the evaluation can wait for it.
    case coming
    /// The complete body, with transfer coding removed.
    case whole([UInt8])
    /// It may never end, so the evaluation does not wait for it.
    case endless
    /// It is not collected, and rules cannot see it; with the reason that is recorded.
    case passing(reason: String)

    /// The maximum size of a collected body, in bytes.
    public static let byteCountMax = BodyEditor.byteCountMax

    public static let tooLarge = RuledBody.passing(reason: EditResult.NotDone.tooLarge.reason)

    /// The complete body; nil if it is not known.
    var bytes: [UInt8]? {
        if case .whole(let bytes) = self { bytes } else { nil }
    }

    /// Whether it is not known yet, but can be waited for.
    var isComing: Bool {
        if case .coming = self { true } else { false }
    }

    /// Why rules can never see it; nil if they can, or might later.
    var unseen: EditResult.NotDone? {
        switch self {
        case .coming, .whole: nil
        case .endless: .eventStream
        case .passing(let reason): EditResult.NotDone(reason: reason)
        }
    }
}

/// What is known about a client and the server that it asks for, before any request is read.
public struct RuledConnection: Sendable {
    /// The client's address and port, in the form that is recorded.
    public var client: String
    /// The client's address and port in a PROXY header; nil without one.
    public var namedClient: String?
    /// The listener that the client connected to; nil if it is not known.
    public var listener: String?
    /// The user as whom the client authenticated at the proxy; nil if it did not.
    public var user: String?
    /// The local program that is the client; nil if it is not known.
    public var process: String?
    public var host: String
    public var port: UInt16
    /// `http`, `https`, or `tunnel` if only CONNECT has named the server.
    public var scheme: String
    /// When the exchange started, in nanoseconds since 1970.
    public var startedAtNs: Int64

    public init(
        client: String, process: String?, host: String, port: UInt16, scheme: String,
        startedAtNs: Int64
    ) {
        self.client = client
        self.process = process
        self.host = host
        self.port = port
        self.scheme = scheme
        self.startedAtNs = startedAtNs
    }
}

/// A request of which only the head has arrived, in the form that filters examine.
public struct BegunRequest {
    private let subject: RuleSubject

    public init(_ head: RequestHead, _ url: RawURL, over connection: RuledConnection) {
        let request = ForwardedRequest(head: head, url: url, body: .none)
        subject = RuleSubject(connection, request, .coming)
    }

    /// Whether a filter certainly selects the request.
    public func passes(_ filter: Filter) -> Bool { filter.decision(subject) == .passes }
}
