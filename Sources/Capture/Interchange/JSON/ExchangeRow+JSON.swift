internal import HTTPModel
public import ParameterCoding

extension ExchangeRow {
    /// The row as `list --json` prints it: these members, in this order, absent ones null.
    public var json: JSONValue { .members(jsonMembers) }

    /// The members of `json`, for objects that have more.
    public var jsonMembers: [(String, JSONValue)] {
        [
            ("id", .integer(id.rawValue)),
            ("method", .text(method)),
            ("url", .text(url)),
            ("scheme", .text(scheme)),
            ("host", .text(host)),
            ("port", .integer(port)),
            ("path", .text(path)),
            ("query", .text(query)),
            ("http_version", .text(httpVersion)),
            ("status", .integer(status)),
            ("reason", .text(reason)),
            ("started_at", .string(startedAt)),
            ("duration_ms", .milliseconds(durationNs)),
            ("request_body_bytes", .integer(requestBodyByteCount)),
            ("response_body_bytes", .integer(responseBodyByteCount)),
            ("request_content_type", .text(requestContentType)),
            ("response_content_type", .text(responseContentType)),
            ("client_address", .text(clientAddress)),
            ("process", .text(process)),
            ("pid", .integer(pid)),
            ("server_address", .text(serverAddress)),
            ("tls_version", .text(tlsVersion)),
            ("error", .text(error)),
            ("state", .string(state.rawValue)),
            ("replay_of", .integer(replayOf?.rawValue)),
            ("tags", .strings(tags)),
            ("note", .text(note)),
            ("pinned", .bool(isPinned)),
        ]
    }
}
