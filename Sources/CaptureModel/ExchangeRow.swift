internal import ProxydCivilTime
public import ProxydHTTPModel
public import ProxydParameterCoding

/// One row of `proxyctl list`: the data of an exchange without its heads and bodies.
///
/// The properties are the fields of `list --json` and the columns of the view `exchanges`, with the
/// same names where Swift's naming rules allow it. They are nil if the exchange has no such value.
public struct ExchangeRow: Sendable, Hashable, Identifiable {
    /// The exchange's identifier in the store that was read; without `storeName`, its number.
    public let id: ExchangeID
    /// The name of the store that recorded the exchange, or nil in that store itself.
    public var storeName: String?
    /// The method as sent, or nil for a malformed request.
    public var method: String?
    /// `http` or `https`.
    public var scheme: String?
    /// The host as sent, without brackets.
    public var host: String?
    /// The port, explicit or the scheme's.
    public var port: Int?
    /// The path as sent.
    public var path: String?
    /// The query after the `?`, or nil if there is none.
    public var query: String?
    /// The request's HTTP version, such as `HTTP/1.1`.
    public var httpVersion: String?
    /// The status code that the client received.
    public var status: Int?
    /// The status code that the server sent, if the client received another one or nothing.
    public var receivedStatus: Int?
    /// The reason phrase; empty if the response had none.
    public var reason: String?
    /// The start time in nanoseconds since 1970.
    public var startedAtNs: Int64
    /// The duration in nanoseconds without `heldNs`, or nil while the exchange is active.
    public var durationNs: Int64?
    /// How long messages were held at breakpoints, in nanoseconds; nil if they were not.
    public var heldNs: Int64?
    /// The number of request body bytes that passed.
    public var requestBodyByteCount: Int64 = 0
    /// The number of request body bytes in the store.
    public var requestKeptByteCount: Int64 = 0
    /// The number of response body bytes that passed.
    public var responseBodyByteCount: Int64 = 0
    /// The number of response body bytes in the store.
    public var responseKeptByteCount: Int64 = 0
    public var requestContentType: String?
    public var responseContentType: String?
    /// The client's address and port.
    public var clientAddress: String?
    /// The program that sent the request, if it runs on this machine.
    public var process: String?
    public var pid: Int?
    /// The server's address and port.
    public var serverAddress: String?
    /// The TLS version of the server connection, or else of the client connection.
    public var tlsVersion: String?
    /// The failure as `origin kind: message`.
    public var error: String?
    public var state: ExchangeState
    /// The protocol that an Upgrade switched to.
    public var upgradedTo: String?
    /// The HTTP/2 stream on the client connection.
    public var stream: Int?
    /// The number of data messages, or nil if the exchange cannot have any.
    public var messageCount: Int64?
    /// The number in `grpc-status`, or nil if none was received.
    public var grpcStatus: Int?
    /// The GraphQL operations requested, several for a batch; empty if it is not a GraphQL request.
    public var graphQL: [GraphQLOperation] = []
    /// The operations as text, such as `query Basket, mutation Pay`; nil if there are none.
    public var graphQLText: String? {
        graphQL.isEmpty ? nil : graphQL.map(\.description).joined(separator: ", ")
    }
    /// The names of the rules that were applied, each once, in order.
    public var rules: [String] = []
    /// The user as whom the client authenticated at the proxy.
    public var user: String?
    public var listener: String?
    /// The client's address in a PROXY header, whose sender is then the `clientAddress`.
    public var namedClientAddress: String?
    public var upstream: String?
    /// Whether the body counts include bytes sent after the connection switched protocols.
    public var isRelayed: Bool { state == .tunnel || upgradedTo != nil }
    public var replayOf: ExchangeID?
    /// The exchange's tags, in the order they were added.
    public var tags: [String] = []
    public var note: String?
    /// Whether the exchange is pinned, so that retention does not remove it.
    public var isPinned = false

    /// Creates a row without what only some exchanges have.
    package init(id: ExchangeID, startedAtNs: Int64, state: ExchangeState) {
        self.id = id
        self.startedAtNs = startedAtNs
        self.state = state
    }

    /// The URL in the form of `RawURL.description`, or nil if it could not be parsed.
    public var url: String? {
        guard let scheme, let host, let port, let path else { return nil }
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let usual = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        let authority = port == usual ? shown : "\(shown):\(port)"
        let shownPath = path == "*" && query == nil ? "" : path
        return "\(scheme)://\(authority)\(shownPath)" + (query.map { "?" + $0 } ?? "")
    }

    public var name: ExchangeName { ExchangeName(id, in: storeName) }

    /// The exchange's number in the store that recorded it.
    public var number: Int64 { name.number }

    /// The exchange's name as text: `4711`, or `ci-17:4711` if there is a `storeName`.
    public var idText: String { name.description }

    /// The name as text of the exchange that this one replays, which is in the same store.
    public var replayOfText: String? {
        replayOf.map { ExchangeName($0, in: storeName).description }
    }

    /// The duration in milliseconds, with microsecond precision.
    public var durationMilliseconds: Double? {
        durationNs.map { (Double($0) / 1_000).rounded() / 1_000 }
    }

    /// The start time in RFC 3339 format, in UTC with milliseconds.
    public var startedAt: String { RFC3339.text(nanoseconds: startedAtNs) }

    /// The request's HTTP version, or nil if it could not be parsed.
    public var version: HTTPVersion? { httpVersion.flatMap(HTTPVersion.init(description:)) }

    /// The protocol of the exchange, or nil if it is unknown.
    public var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: state, upgradedTo: upgradedTo, requestType: requestContentType,
            responseType: responseContentType, version: version, scheme: scheme)
    }
}

extension Exchange {
    /// A message for a response whose body is incomplete, such as `7 of 1000 bytes came: the server
    /// closed`, or nil if the body is complete, still arriving or absent.
    public var cutBodyText: String? {
        guard state == .failed, let response, let failure else { return nil }
        let head = response.head
        guard head.status >= 200, head.status != 204, head.status != 304,
            request.method != .head, request.method != .connect
        else { return nil }
        let count = response.body.byteCount
        guard head.fields.first(.transferEncoding) == nil,
            let length = head.fields["Content-Length"].flatMap(Int64.init)
        else {
            let bytes = count == 1 ? "1 byte" : "\(count) bytes"
            return "incomplete, \(bytes) arrived: \(failure.briefly)"
        }
        // A response that proxyd itself sent is complete.
        guard count < length else { return nil }
        return "\(count) of \(length) bytes arrived: \(failure.briefly)"
    }
}

extension ExchangeFailure {
    /// The cause in two or three words, or the message of the failure.
    fileprivate var briefly: String {
        switch (origin, kind) {
        case (.upstream, .closedEarly): "the server closed"
        case (.client, .closedEarly): "the client closed"
        case (.upstream, .timedOut): "the server stopped sending"
        case (.rule, .blocked): "the rule \(message)"
        case (_, .shutdown): "the proxy was stopped"
        default: message
        }
    }
}
