public import ProxydHTTPModel

/// The input of a filter: one exchange, stored or live.
///
/// The store's readers and the live views implement it. Expensive values (heads, bodies) are
/// requested only if the filter needs them and no cheaper test has decided.
public protocol FilterSubject {
    /// Whether the values that become known at a moment are known. Unknown values are never
    /// requested, except the parameters of a body that is still arriving and the messages so far.
    func isKnown(_ moment: FilterMoment) -> Bool
    /// The text in a column, or nil if the exchange has none.
    func text(_ column: FilterTextColumn) -> String?
    /// The number in a column, or nil if the exchange has none.
    func number(_ column: FilterNumberColumn) -> Int64?
    var tags: [String] { get }
    /// The values of all decoded parameters with this name, nil for a bare flag and for JSON's
    /// null. Parameters of the query are available once the request's head is known, all others
    /// once its body is known.
    func parameterValues(named name: String) -> [String?]
    /// The field lines of a message's head; empty if there is none.
    func headerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// The field lines of a message's trailer section; empty if it has none.
    func trailerFields(of side: FilterSide) -> [(name: String, value: String)]
    /// A message's stored body with its content codings removed, as UTF-8 if it is text in a known
    /// charset; nil if no body was stored.
    func decodedBody(of side: FilterSide) -> [UInt8]?
    /// The values of the leaves at a path of the response's JSON, such as `a.x[2].y`, with nil for
    /// JSON's null; empty if there are none or the body is not JSON.
    func responseJSONValues(at path: String) -> [String?]
    var appliedRules: [String] { get }
    /// Whether `holds` is true for one of the exchange's messages so far. It is called with each
    /// message in order until it returns true.
    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool
    /// The GraphQL operations of the request; empty if it is not a GraphQL request.
    var graphQLOperations: [FilterGraphQLOperation] { get }
}

extension FilterSubject {
    /// Returns true: everything is known of an exchange in the store.
    public func isKnown(_ moment: FilterMoment) -> Bool { true }
}

/// The point in the course of an exchange at which a value becomes known.
public enum FilterMoment: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// When the client's connection and its target are known: host, port, scheme, program, user.
    case connection
    case requestHead
    /// When the request's body has ended.
    case requestBody
    case responseHead
    /// When the response's body has ended.
    case responseBody
    /// When the exchange has ended and is stored; never while it is in progress.
    case end

    public static func < (left: FilterMoment, right: FilterMoment) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension FilterTextColumn {
    public var moment: FilterMoment {
        switch self {
        case .host, .scheme, .client, .namedClient, .process, .user, .listener: .connection
        case .method, .path, .query, .url, .requestType, .grpcService, .grpcMethod: .requestHead
        case .responseType, .upgradedTo, .spokenProtocol: .responseHead
        case .server, .error, .refused, .repaired, .state, .note, .reset, .upstream, .store,
            .grpcStatus:
            .end
        }
    }
}

extension FilterNumberColumn {
    public var moment: FilterMoment {
        switch self {
        case .port, .started: .connection
        case .httpVersion: .requestHead
        case .requestSize: .requestBody
        case .status: .responseHead
        case .responseSize: .responseBody
        case .id, .stream, .duration, .held, .receivedStatus, .replayOf, .pinned, .messageCount,
            .webSocketMessageCount, .grpcStatus:
            .end
        }
    }
}

extension FilterSide {
    public var headMoment: FilterMoment { self == .request ? .requestHead : .responseHead }
    public var bodyMoment: FilterMoment { self == .request ? .requestBody : .responseBody }
}

/// Selects the messages of an exchange that a test looks at.
public struct FilterMessages: Sendable, Hashable {
    /// The kinds of messages to include, or nil for all kinds.
    public let kinds: [MessageRecord.Kind]?
    /// The direction of messages to include, or nil for both.
    public let direction: MessageRecord.Direction?

    public init(kinds: [MessageRecord.Kind]? = nil, direction: MessageRecord.Direction? = nil) {
        self.kinds = kinds
        self.direction = direction
    }

    static let all = FilterMessages()
    static let events = FilterMessages(kinds: [.event])
    /// Closing frames of WebSockets.
    static let closings = FilterMessages(kinds: [.close])
    /// The last messages of gRPC-Web and Connect.
    static let trailers = FilterMessages(kinds: [.trailers], direction: .toClient)

    /// The messages of a WebSocket, including control frames.
    static func webSocket(_ direction: MessageRecord.Direction? = nil) -> FilterMessages {
        FilterMessages(kinds: [.text, .binary, .close, .ping, .pong], direction: direction)
    }

    public func contains(_ message: some MessageFilterSubject) -> Bool {
        if let kinds, !kinds.contains(message.kind) { return false }
        return direction.map { $0 == message.direction } ?? true
    }
}

/// A GraphQL operation, reduced to what filters test.
public struct FilterGraphQLOperation: Sendable, Hashable {
    /// `query`, `mutation` or `subscription`; empty if the request has no document.
    public var type: String
    /// The operation's name; empty if it has none.
    public var name: String

    public init(type: String, name: String) {
        self.type = type
        self.name = name
    }
}

/// The part of a GraphQL operation that a test looks at.
package enum FilterGraphQLPart: Sendable, Hashable {
    case name
    case type

    func text(of operation: FilterGraphQLOperation) -> String {
        switch self {
        case .name: operation.name
        case .type: operation.type
        }
    }
}

/// The path of a gRPC call: `/package.Service/Method`.
public struct GRPCPath: Sendable, Hashable {
    /// The part between the first slash and the last.
    public let service: String
    /// The part after the last slash.
    public let method: String

    /// Splits the path of a request with a gRPC content type (`application/grpc…`); nil for other
    /// requests, and if the path does not have two slashes.
    public init?(path: String?, requestType: String?) {
        guard let path, let requestType, requestType.lowercased().hasPrefix("application/grpc"),
            path.utf8.first == UInt8(ascii: "/"),
            let last = path.utf8.lastIndex(of: UInt8(ascii: "/")), last > path.utf8.startIndex
        else { return nil }
        service = String(path[path.utf8.index(after: path.startIndex)..<last])
        method = String(path[path.utf8.index(after: last)...])
    }
}
