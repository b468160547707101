internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The request that opens a recorded WebSocket again.
enum ReplayedOpening {
    /// What belongs to the opening it was recorded with, or is said anew.
    private static let madeAnew: Set<String> = [
        "sec-websocket-key", "upgrade", "connection", "proxy-connection", "keep-alive",
        "proxy-authorization", "content-length", "transfer-encoding", "te", "http2-settings",
    ]

    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    static func request(
        of exchange: Exchange, _ plan: ConversationPlan
    ) throws(ClientError) -> HTTPRequest {
        guard exchange.upgradedTo == "websocket" else {
            throw ClientError(
                .replayRefused(
                    exchange.upgradedTo.map { .upgraded(to: $0) } ?? .noConversation))
        }
        guard let head = exchange.request.head, let url = exchange.request.url else {
            throw ClientError(.replayRefused(.malformed))
        }
        var request = HTTPRequest(method: .get, url: url)
        for line in head.fields.lines {
            let name = head.fields.name(of: line)
            guard !name.hasPrefix(":"), !madeAnew.contains(name.lowercased()) else { continue }
            // Host is said anew, where the client did not name another server's.
            if line.name == .host, !exchange.request.keepsForeignHost { continue }
            let value =
                name.lowercased() == "sec-websocket-extensions"
                ? knownExtensions(head.fields.value(of: line)) : head.fields.value(of: line)
            guard !value.isEmpty else { continue }
            request.fields.append(
                name: Array(head.fields.bytes[line.nameRange]),
                value: value == head.fields.value(of: line)
                    ? Array(head.fields.bytes[line.valueRange]) : Array(value.utf8))
        }
        request.replayOf = exchange.id.isOwnNumber ? exchange.id : nil
        request.protocols = plan.version.protocols(for: exchange)
        return try edited(request, plan.edits)
    }

    /// Of what the client offered that which this library can do: an extension that the server
    /// chooses must be understood.
    private static func knownExtensions(_ value: String) -> String {
        var fields = HeaderFields()
        fields.append(name: "Sec-WebSocket-Extensions", value: value)
        return (WebSocketExtension.list(in: fields) ?? []).compactMap(PermessageDeflateOffer.init)
            .map(\.value).joined(separator: ", ")
    }

    private static func edited(
        _ request: HTTPRequest, _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        guard !edits.isEmpty else { return request }
        var editor = RequestEditor(request)
        try editor.apply(edits)
        var edited = editor.request
        if edited.method != .get { throw ClientError(.invalidRequest(.badMethod)) }
        edited.protocols = request.protocols
        return edited
    }
}
