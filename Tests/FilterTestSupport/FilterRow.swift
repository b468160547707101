public import ProxydFilter
public import ProxydHTTPModel

/// An exchange as a plain value: what a filter sees, and what the store would hold of it.
public struct FilterRow: FilterSubject, Sendable {
    /// Its number.
    public var id: Int64 = 1
    /// Its texts but the URL, which is made of them.
    public var texts: [FilterTextColumn: String] = [
        .method: "GET", .scheme: "http", .host: "example.com", .path: "/", .state: "complete",
    ]
    /// Its numbers but its own.
    public var numbers: [FilterNumberColumn: Int64] = [
        .port: 80, .status: 200, .started: 0, .responseSize: 0, .requestSize: 0,
    ]
    /// The version of its request: 10, 11, 20 or 30.
    public var version: Int64?
    /// Its tags.
    public var tags: [String] = []
    /// Its parameters, in any order.
    public var parameters: [(name: String, value: String?)] = []
    /// Its header fields.
    public var headers: [FilterSide: [(name: String, value: String)]] = [:]
    /// Its trailer fields.
    public var trailers: [FilterSide: [(name: String, value: String)]] = [:]
    /// Its bodies, decoded.
    public var bodies: [FilterSide: [UInt8]] = [:]
    /// The leaves of the response's JSON, where it has a body.
    public var responseLeaves: [(path: String, value: String?)] = []
    /// Names of rules that applied.
    public var appliedRules: [String] = []

    /// Its messages.
    public var messages: [FilterMessage] = []
    /// Its operations of GraphQL.
    public var graphQLOperations: [FilterGraphQLOperation] = []

    /// A plain GET, answered with 200.
    public init() {}

    /// The text of a column.
    public func text(_ column: FilterTextColumn) -> String? {
        switch column {
        case .url: url
        case .spokenProtocol: spokenProtocol
        case .grpcStatus: numbers[.grpcStatus].map { GRPCStatus($0).name }
        case .grpcService: grpcPath?.service
        case .grpcMethod: grpcPath?.method
        default: texts[column]
        }
    }

    /// The number of a column.
    public func number(_ column: FilterNumberColumn) -> Int64? {
        switch column {
        case .id: id
        case .httpVersion: version
        case .messageCount: messageCount
        case .webSocketMessageCount: spokenProtocol == "ws" ? messageCount : nil
        default: numbers[column]
        }
    }

    private var grpcPath: GRPCPath? {
        GRPCPath(path: texts[.path], requestType: texts[.requestType])
    }

    private var messageCount: Int64? {
        let count = messages.count { $0.kind.isData }
        let isKnown = ["ws", "grpc", "grpcweb", "sse"].contains(spokenProtocol)
        return isKnown || count > 0 ? Int64(count) : nil
    }

    /// Whether a message holds.
    public func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        self.messages.contains { messages.contains($0) && holds($0) }
    }

    /// The values of a name.
    public func parameterValues(named name: String) -> [String?] {
        parameters.filter { $0.name == name }.map(\.value)
    }

    /// The header fields of a message.
    public func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        headers[side] ?? []
    }

    /// The trailer fields of a message.
    public func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        trailers[side] ?? []
    }

    /// The body of a message.
    public func decodedBody(of side: FilterSide) -> [UInt8]? { bodies[side] }

    /// The values at a path of the response's JSON.
    public func responseJSONValues(at path: String) -> [String?] {
        responseLeaves.filter { $0.path == path }.map(\.value)
    }

    private var spokenProtocol: String? {
        func type(_ column: FilterTextColumn) -> String { texts[column]?.lowercased() ?? "" }
        if texts[.state] == "tunnel" { return "tunnel" }
        if texts[.upgradedTo] == "websocket" { return "ws" }
        if type(.requestType).hasPrefix("application/grpc-web") { return "grpcweb" }
        if type(.requestType).hasPrefix("application/grpc") { return "grpc" }
        if type(.responseType).hasPrefix("text/event-stream") { return "sse" }
        return version.map {
            $0 < 20 ? "h1" : $0 == 30 ? "h3" : texts[.scheme] == "http" ? "h2c" : "h2"
        }
    }

    private var url: String? {
        guard let scheme = texts[.scheme], let host = texts[.host], let path = texts[.path],
            let port = numbers[.port]
        else { return nil }
        let shown = host.contains(":") ? "[\(host)]" : host
        let isDefault = port == ["http": 80, "https": 443][scheme]
        let query = texts[.query].map { "?\($0)" } ?? ""
        return "\(scheme)://\(shown)\(isDefault ? "" : ":\(port)")\(path)\(query)"
    }
}

extension FilterRow {
    /// A row that differs from the default in one way.
    public static func with(_ change: (inout FilterRow) -> Void) -> FilterRow {
        var row = FilterRow()
        change(&row)
        return row
    }
}

/// A message as a plain value: what a filter sees.
public struct FilterMessage: MessageFilterSubject, Sendable {
    /// What it is.
    public var kind: MessageRecord.Kind
    /// Which way it went.
    public var direction: MessageRecord.Direction
    /// What it says.
    public var bytes: [UInt8]
    /// Its length in bytes.
    public var byteCount: Int64
    /// The rule that it breaks.
    public var problem: String?

    /// A message of a text.
    public init(
        _ kind: MessageRecord.Kind, _ text: String,
        _ direction: MessageRecord.Direction = .toServer, byteCount: Int64? = nil,
        problem: String? = nil
    ) {
        self.init(kind, Array(text.utf8), direction, byteCount: byteCount, problem: problem)
    }

    /// A message of bytes.
    public init(
        _ kind: MessageRecord.Kind, _ bytes: [UInt8],
        _ direction: MessageRecord.Direction = .toServer, byteCount: Int64? = nil,
        problem: String? = nil
    ) {
        self.kind = kind
        self.direction = direction
        self.bytes = bytes
        self.byteCount = byteCount ?? Int64(bytes.count)
        self.problem = problem
    }
}
