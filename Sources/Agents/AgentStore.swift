internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRedaction

/// The store as agents see it: without credentials, unless the policy shows them.
struct AgentStore {
    private let store: SharedReader
    let redactor: ExchangeRedactor?
    private let clock: @Sendable () -> Int64

    init(_ services: AgentServices) {
        store = SharedReader(services.openStore, storeIdentity: services.storeIdentity)
        redactor = services.policy.redactor
        clock = services.now
    }

    /// The current time in nanoseconds since 1970.
    var now: Int64 { clock() }

    /// Reads the store without redaction. A caller that reads captured text must redact it itself.
    func read<Value>(_ body: (any ExchangeReading) throws(StoreError) -> Value) throws -> Value {
        let reader = try store.reader()
        return try body(reader)
    }

    func rows(
        _ body: (any ExchangeReading) throws(StoreError) -> [ExchangeRow]
    ) throws -> [ExchangeRow] {
        let rows = try read(body)
        return redactor.map { rows.map($0.redacted) } ?? rows
    }

    func id(named name: String) throws -> ExchangeID {
        let id = try read { (reader) throws(StoreError) in try reader.exchangeID(named: name) }
        guard let id else { throw ToolProblem("there is no exchange \(name)") }
        return id
    }

    /// Nil without that argument.
    func id(_ argument: String, _ arguments: ToolArguments) throws -> ExchangeID? {
        try arguments.exchangeName(argument).map(id(named:))
    }

    func requiredID(_ arguments: ToolArguments, _ argument: String = "id") throws -> ExchangeID {
        guard let id = try id(argument, arguments) else {
            throw ToolProblem("the argument \(argument) is missing")
        }
        return id
    }

    func name(of id: ExchangeID) throws -> String {
        try read { (reader) throws(StoreError) in try reader.name(of: id) }
    }

    func exchange(_ id: ExchangeID) throws -> AgentExchange {
        let found = try read { (reader) throws(StoreError) in try reader.captured(id) }
        guard let found else { throw ToolProblem("there is no exchange \(try name(of: id))") }
        return AgentExchange(found, redactor)
    }
}

extension AgentPolicy {
    /// Nil if credentials are shown.
    var redactor: ExchangeRedactor? { redaction.map { ExchangeRedactor($0) } }

    /// Nil if everything is shown.
    var redaction: Redaction? {
        showsSecrets
            ? nil
            : Redaction(addingFields: hiddenNames.fields, parameters: hiddenNames.parameters)
    }
}

struct AgentExchange {
    private let original: CapturedExchange
    /// The exchange, without credentials unless the policy shows them.
    let captured: CapturedExchange
    private let redactor: ExchangeRedactor?

    init(_ original: CapturedExchange, _ redactor: ExchangeRedactor?) {
        self.original = original
        captured = redactor?.redacted(original) ?? original
        self.redactor = redactor
    }

    var row: ExchangeRow { captured.row }
    var exchange: Exchange { captured.exchange }

    func content(_ side: StoredMessage) -> BodyContent { captured.content(side) }

    /// Whether redaction removed a body, because it could not be searched for credentials.
    func isBodyLeftOut(_ side: StoredMessage) -> Bool {
        captured.leftOut.contains("\(side == .request ? "request" : "response") body")
    }

    /// Members that say what is wrong with a body's content coding, if anything is, and how much of
    /// the body was recorded, unless all of it was read.
    func missing(_ side: StoredMessage) -> [(String, JSONValue)] {
        unread(side) + (content(side).problem.map { [("body_problem", .string($0))] } ?? [])
    }

    private func unread(_ side: StoredMessage) -> [(String, JSONValue)] {
        let (row, exchange) = (original.row, original.exchange)
        let isRequest = side == .request
        let recorded = isRequest ? row.requestKeptByteCount : row.responseKeptByteCount
        let body = isRequest ? exchange.request.body : exchange.response?.body
        guard Int64(body?.kept.count ?? 0) < recorded else { return [] }
        return [
            ("recorded_bytes", .integer(recorded)),
            ("not_read", .string("only the first 16 MiB of a body are read")),
        ]
    }

    /// Messages of the exchange. Those that were not read completely count as cut.
    func messages(_ rows: [MessageRow]) -> [ExportedMessage] {
        guard let redactor else { return rows.map { ExportedMessage($0) } }
        let rows = rows.map { row in
            var row = row
            if Int64(row.bytes.count) < row.byteCount { row.flags.insert(.cut) }
            // Only what was read of a body was searched.
            if !isBodyRead(of: row.direction) { row.bodyStart = nil }
            return row
        }
        return redactor.redacted(rows, of: captured, from: original)
    }

    private func isBodyRead(of direction: MessageRecord.Direction) -> Bool {
        switch direction {
        case .toServer:
            Int64(original.exchange.request.body.kept.count) == original.row.requestKeptByteCount
        case .toClient:
            Int64(original.exchange.response?.body.kept.count ?? 0)
                == original.row.responseKeptByteCount
        }
    }
}

/// Rows as agents get them: the members of `list --json` that are not null, empty or false,
/// with long text cut.
enum BriefRow {
    private static let textCountMax = 1_000
    /// Members that repeat what another one already says.
    private static let redundant: Set<String> = ["scheme", "port", "path", "query"]

    static func members(_ row: ExchangeRow) -> [(String, JSONValue)] {
        RowJSON.textual(row.jsonMembers, row).compactMap { name, value in
            switch value {
            case .null, .array([]), .bool(false): nil
            case .string where redundant.contains(name): nil
            case .number where redundant.contains(name): nil
            case .string(let text) where text.count > textCountMax:
                (name, .string(text.prefix(textCountMax) + "…"))
            default: (name, value)
            }
        }
    }

    /// As many of the rows as fit into an answer, in order.
    static func list(
        _ rows: [ExchangeRow], _ finish: AnswerFinish
    ) -> (values: [JSONValue], last: ExchangeRow?) {
        var values: [JSONValue] = []
        var byteCount = 0
        for row in rows {
            let value = finish.safe(JSONValue.members(members(row)))
            byteCount += MCPServer.text(value).count
            guard byteCount <= AnswerFinish.byteCountMax * 3 / 4 || values.isEmpty else { break }
            values.append(value)
        }
        return (values, values.isEmpty ? nil : rows[values.count - 1])
    }
}
