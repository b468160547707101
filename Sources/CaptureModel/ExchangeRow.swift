internal import ProxydCivilTime
public import ProxydHTTPModel
public import ProxydParameterCoding

/// One line of `proxyctl list`: what is known of an exchange without its heads and bodies.
///
/// The fields are those of `list --json` and of the view `exchanges`, under the same names where
/// Swift's habits allow; nil where the exchange has no such thing.
public struct ExchangeRow: Sendable, Hashable, Identifiable {
    /// Its number.
    public let id: ExchangeID
    /// The method as sent; nil for a malformed request.
    public var method: String?
    /// `http` or `https`.
    public var scheme: String?
    /// The host as sent, without brackets.
    public var host: String?
    /// The port, explicit or the scheme's.
    public var port: Int?
    /// The path as sent.
    public var path: String?
    /// What is behind the `?`; nil where there is none.
    public var query: String?
    /// The request's version: `HTTP/1.1`.
    public var httpVersion: String?
    /// What the client got.
    public var status: Int?
    /// The reason phrase; empty where the response had none.
    public var reason: String?
    /// When it began, nanoseconds since 1970.
    public var startedAtNs: Int64
    /// How long it took, nanoseconds; nil while it is active.
    public var durationNs: Int64?
    /// Request body octets that passed.
    public var requestBodyByteCount: Int64
    /// Request body octets in the store.
    public var requestKeptByteCount: Int64
    /// Response body octets that passed.
    public var responseBodyByteCount: Int64
    /// Response body octets in the store.
    public var responseKeptByteCount: Int64
    /// The request's Content-Type.
    public var requestContentType: String?
    /// The response's Content-Type.
    public var responseContentType: String?
    /// Address and port of the client.
    public var clientAddress: String?
    /// The program that sent it, where it runs on this machine.
    public var process: String?
    /// That program's process id.
    public var pid: Int?
    /// Address and port of the server.
    public var serverAddress: String?
    /// The TLS version of the server's leg, else of the client's.
    public var tlsVersion: String?
    /// `origin kind: message` of a failure.
    public var error: String?
    /// How far it is.
    public var state: ExchangeState
    /// The protocol that an Upgrade switched to.
    public var upgradedTo: String?
    /// The client's stream of HTTP/2.
    public var stream: Int?
    /// The number of data messages; nil where there can be none.
    public var messageCount: Int64?
    /// The number in `grpc-status`; nil where none came.
    public var grpcStatus: Int?
    /// The operations of GraphQL that it asks for, several in a batch; empty where it is none.
    public var graphQL: [GraphQLOperation] = []
    /// `query Basket, mutation Pay`; nil where it is no GraphQL.
    public var graphQLText: String? {
        graphQL.isEmpty ? nil : graphQL.map(\.description).joined(separator: ", ")
    }
    /// The names of the rules that applied, each once, in their order.
    public var rules: [String] = []
    /// Whether its bodies count what a connection carried after its protocol had changed.
    public var isRelayed: Bool { state == .tunnel || upgradedTo != nil }
    /// The exchange it repeats.
    public var replayOf: ExchangeID?
    /// Tags in the order given.
    public var tags: [String]
    /// What somebody noted.
    public var note: String?
    /// Whether retention leaves it alone.
    public var isPinned: Bool

    /// A row with everything that a store has of it.
    package init(
        id: ExchangeID, method: String? = nil, scheme: String? = nil, host: String? = nil,
        port: Int? = nil, path: String? = nil, query: String? = nil, httpVersion: String? = nil,
        status: Int? = nil, reason: String? = nil, startedAtNs: Int64, durationNs: Int64? = nil,
        requestBodyByteCount: Int64, requestKeptByteCount: Int64, responseBodyByteCount: Int64,
        responseKeptByteCount: Int64, requestContentType: String? = nil,
        responseContentType: String? = nil, clientAddress: String? = nil, process: String? = nil,
        pid: Int? = nil, serverAddress: String? = nil, tlsVersion: String? = nil,
        error: String? = nil, state: ExchangeState, upgradedTo: String? = nil, stream: Int? = nil,
        replayOf: ExchangeID? = nil, tags: [String], note: String? = nil, isPinned: Bool
    ) {
        self.id = id
        self.method = method
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.httpVersion = httpVersion
        self.status = status
        self.reason = reason
        self.startedAtNs = startedAtNs
        self.durationNs = durationNs
        self.requestBodyByteCount = requestBodyByteCount
        self.requestKeptByteCount = requestKeptByteCount
        self.responseBodyByteCount = responseBodyByteCount
        self.responseKeptByteCount = responseKeptByteCount
        self.requestContentType = requestContentType
        self.responseContentType = responseContentType
        self.clientAddress = clientAddress
        self.process = process
        self.pid = pid
        self.serverAddress = serverAddress
        self.tlsVersion = tlsVersion
        self.error = error
        self.state = state
        self.upgradedTo = upgradedTo
        self.stream = stream
        self.replayOf = replayOf
        self.tags = tags
        self.note = note
        self.isPinned = isPinned
    }

    /// The URL as `RawURL.description` writes it; nil where it could not be read.
    public var url: String? {
        guard let scheme, let host, let port, let path else { return nil }
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let usual = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        let authority = port == usual ? shown : "\(shown):\(port)"
        let shownPath = path == "*" && query == nil ? "" : path
        return "\(scheme)://\(authority)\(shownPath)" + (query.map { "?" + $0 } ?? "")
    }

    /// How long it took in milliseconds, to the microsecond.
    public var durationMilliseconds: Double? {
        durationNs.map { (Double($0) / 1_000).rounded() / 1_000 }
    }

    /// When it began: RFC 3339, milliseconds, UTC.
    public var startedAt: String { RFC3339.text(nanoseconds: startedAtNs) }
}
