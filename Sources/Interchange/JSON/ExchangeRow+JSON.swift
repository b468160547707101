public import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
public import ProxydParameterCoding

extension ExchangeRow {
    /// The row as `list --json` prints it: these members, in this order, with null for absent ones.
    public var json: JSONValue { .members(jsonMembers) }

    /// The members of `json`, for objects that add more.
    public var jsonMembers: [(String, JSONValue)] {
        ExchangeRow.jsonColumns.map { ($0.name, $0.value(self)) }
    }

    /// A member of `json` by its name; nil if there is none of that name.
    public func jsonMember(named name: String) -> JSONValue? {
        ExchangeRow.jsonColumns.first { $0.name == name }?.value(self)
    }

    /// The names of the members of `json`, in order.
    public static let jsonNames = jsonColumns.map(\.name)

    private static let jsonColumns: [(name: String, value: @Sendable (ExchangeRow) -> JSONValue)] =
        [
            ("id", { ExchangeNameJSON.value($0.id, in: $0.storeName) }),
            ("method", { .text($0.method) }),
            ("url", { .text($0.url) }),
            ("scheme", { .text($0.scheme) }),
            ("host", { .text($0.host) }),
            ("port", { .integer($0.port) }),
            ("path", { .text($0.path) }),
            ("query", { .text($0.query) }),
            ("http_version", { .text($0.httpVersion) }),
            ("status", { .integer($0.status) }),
            ("reason", { .text($0.reason) }),
            ("started_at", { .string($0.startedAt) }),
            ("duration_ms", { .milliseconds($0.durationNs) }),
            ("request_body_bytes", { .integer($0.requestBodyByteCount) }),
            ("response_body_bytes", { .integer($0.responseBodyByteCount) }),
            ("request_content_type", { .text($0.requestContentType) }),
            ("response_content_type", { .text($0.responseContentType) }),
            ("client_address", { .text($0.clientAddress) }),
            ("process", { .text($0.process) }),
            ("pid", { .integer($0.pid) }),
            ("server_address", { .text($0.serverAddress) }),
            ("tls_version", { .text($0.tlsVersion) }),
            ("error", { .text($0.error) }),
            ("state", { .string($0.state.rawValue) }),
            ("replay_of", { ExchangeNameJSON.value($0.replayOf, in: $0.storeName) }),
            ("tags", { .strings($0.tags) }),
            ("note", { .text($0.note) }),
            ("pinned", { .bool($0.isPinned) }),
            ("protocol", { .text($0.spokenProtocol?.rawValue) }),
            ("stream", { .integer($0.stream) }),
            ("messages", { .integer($0.messageCount) }),
            ("grpc_status", { .integer($0.grpcStatus) }),
            ("graphql_operation", { .text(lines($0.graphQL.map { $0.name ?? "" })) }),
            ("graphql_type", { .text(lines($0.graphQL.map { $0.kind?.rawValue ?? "" })) }),
            ("rules", { .strings($0.rules) }),
            ("user", { .text($0.user) }),
            ("received_status", { .integer($0.receivedStatus) }),
            ("held_ms", { .milliseconds($0.heldNs) }),
        ]

    /// Joins texts with line feeds; nil if there are none.
    private static func lines(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}
