internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// Resources: the manual of the filter language, the schema for SQL, and exchanges.
struct ResourceCatalog {
    private static let manualURI = "proxyd://filter-language"
    private static let schemaURI = "proxyd://schema"
    private static let exchangePrefix = "proxyd://exchange/"

    private let store: AgentStore
    private let finish: AnswerFinish
    private let allowsSQL: Bool

    init(_ services: AgentServices, _ store: AgentStore) {
        self.store = store
        finish = AnswerFinish(services.policy)
        allowsSQL = services.policy.allowsSQL && services.sql != nil
    }

    var list: JSONValue {
        let manual = ResourceCatalog.entry(
            ResourceCatalog.manualURI, "Filter language", "The manual of the filter language.",
            "text/plain")
        let schema = ResourceCatalog.entry(
            ResourceCatalog.schemaURI, "SQL schema", "The views and tables for query_sql.",
            "text/plain")
        return .array(allowsSQL ? [manual, schema] : [manual])
    }

    static let templates = JSONValue.array([
        .members([
            ("uriTemplate", .string(exchangePrefix + "{id}")), ("name", .string("Exchange")),
            ("description", .string("A recorded exchange, as show_exchange returns it.")),
            ("mimeType", .string("application/json")),
        ])
    ])

    func read(
        _ parameters: JSONValue, _ cancellation: ReadCancellation
    ) throws(RPCError) -> [(String, JSONValue)] {
        guard let uri = parameters["uri"]?.text else {
            throw RPCError(.invalidParameters, "uri must be a string")
        }
        let (type, text) = try content(uri, cancellation)
        return [
            (
                "contents",
                .array([
                    .members([
                        ("uri", .string(uri)), ("mimeType", .string(type)),
                        ("text", .string(text)),
                    ])
                ])
            )
        ]
    }

    private func content(
        _ uri: String, _ cancellation: ReadCancellation
    ) throws(RPCError) -> (type: String, text: String) {
        if uri == ResourceCatalog.manualURI { return ("text/plain", ResourceCatalog.manual) }
        if uri == ResourceCatalog.schemaURI, allowsSQL {
            return ("text/plain", ResourceCatalog.schema)
        }
        let text = String(uri.dropFirst(ResourceCatalog.exchangePrefix.count))
        guard uri.hasPrefix(ResourceCatalog.exchangePrefix), let name = ExchangeName(text),
            name.number > 0, name.description == text
        else { throw RPCError(.invalidParameters, "there is no resource \(uri.prefix(200))") }
        return ("application/json", try exchange(text, cancellation))
    }

    private func exchange(
        _ name: String, _ cancellation: ReadCancellation
    ) throws(RPCError) -> String {
        do {
            let exchange = try cancellation.run { try store.exchange(store.id(named: name)) }
            let answer = ToolAnswer.captured(
                ExchangeBrief(exchange).members(Set(ExchangeBrief.Part.allCases)),
                from: "exchange \(name)", advice: "call read_body")
            return String(decoding: MCPServer.text(finish.value(answer)), as: UTF8.self)
        } catch {
            throw RPCError(.invalidParameters, finish.shown("\(error)"))
        }
    }

    private static func entry(
        _ uri: String, _ name: String, _ description: String, _ type: String
    ) -> JSONValue {
        .members([
            ("uri", .string(uri)), ("name", .string(name)),
            ("description", .string(description)), ("mimeType", .string(type)),
        ])
    }

    // MARK: Texts

    private static let manual = FilterManual.sections.map { section in
        let entries = section.entries.map { entry in
            "  \(entry.form)  \(entry.meaning)"
                + entry.examples.map { "\n      \($0.filter)  (\($0.finding))" }.joined()
        }
        return "\(section.title)\n" + (section.note.map { "  \($0)\n" } ?? "")
            + entries.joined(separator: "\n")
    }.joined(separator: "\n\n")

    private static let schema = """
        SQLite. Times are RFC 3339 text, sizes bytes, absent values NULL.

        View exchanges, a row per exchange; its columns:
          \(ExchangeRow.jsonNames.joined(separator: ", "))
          tags and rules are JSON arrays; pinned is 0 or 1; state is active, complete, failed \
        or tunnel; error is "origin kind: message".
        View messages, a row per message of a WebSocket, an event stream or a gRPC call:
          exchange_id, position, at, direction (to_server, to_client), kind, bytes, text, problem
        Table parameter, a row per decoded parameter of a request:
          exchange_id, source (query, form, multipart, json), position, name, value
        View head, a row per head: exchange_id, part (0 request, 1 response; others: trailers, \
        heads as forwarded, interim responses), octets (its bytes).
        View body_chunk, a row per chunk of a body; position is their order: exchange_id, part (0 \
        request, 1 response; 2 and 3 as forwarded), position, octets (its bytes, still \
        content-coded).
        """
}
