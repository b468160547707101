internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding

/// The type of a value in a tool's result, as its JSON Schema describes it.
indirect enum ToolResult: Sendable {
    case text
    case integer
    case number
    case flag
    /// Any JSON value, such as one from a captured body.
    case anything
    /// An object with any members.
    case record
    case choice([String])
    /// A value or null.
    case orNull(ToolResult)
    case list(ToolResult)
    /// An object with these members and no others. A name that ends in `?` is that of a member that
    /// may be absent.
    case members([(String, ToolResult)])

    /// The JSON Schema.
    var schema: JSONValue { .members(schemaMembers) }

    private var schemaMembers: [(String, JSONValue)] {
        switch self {
        case .anything: []
        case .choice(let texts): [("type", .string("string")), ("enum", .strings(texts))]
        case .list(let element): [("type", .string("array")), ("items", element.schema)]
        case .members(let members): ToolResult.object(members)
        case .orNull(let value):
            [("anyOf", .array([value.schema, .members([("type", .string("null"))])]))]
        case .text, .integer, .number, .flag, .record: [("type", .string(typeName))]
        }
    }

    private var typeName: String {
        switch self {
        case .integer: "integer"
        case .number: "number"
        case .flag: "boolean"
        case .record: "object"
        default: "string"
        }
    }

    private static func object(_ members: [(String, ToolResult)]) -> [(String, JSONValue)] {
        let required = members.map(\.0).filter { !$0.hasSuffix("?") }
        return [
            ("type", .string("object")),
            (
                "properties",
                .members(members.map { (String($0.prefix { $0 != "?" }), $1.schema) })
            ),
            ("required", .strings(required)), ("additionalProperties", .bool(false)),
        ]
    }
}

// MARK: Values that several tools have

extension ToolResult {
    static let texts = ToolResult.list(.text)
    /// `[[name, value], …]`.
    static let pairs = ToolResult.list(.list(.orNull(.text)))
    static let textOrNull = ToolResult.orNull(.text)

    /// A row, in which null, empty and false members are left out.
    static let row = ToolResult.members(
        ExchangeRow.jsonNames.map { name in
            (name == "id" ? name : name + "?", rowTypes[name] ?? .text)
        })

    private static let rowTypes: [String: ToolResult] = [
        "port": .integer, "status": .integer, "duration_ms": .number,
        "request_body_bytes": .integer, "response_body_bytes": .integer, "pid": .integer,
        "tags": .texts, "pinned": .flag, "stream": .integer, "messages": .integer,
        "grpc_status": .integer, "rules": .texts, "received_status": .integer, "held_ms": .number,
    ]

    /// What rules did.
    static let appliedRules = ToolResult.list(
        .members([
            ("rule", .text), ("phase", .choice(["connect", "request", "response"])),
            ("outcome", .text), ("detail", .textOrNull),
            ("hold_start_ms?", .orNull(.number)), ("hold_ms?", .orNull(.number)),
        ]))

    /// A piece of a body or message; `next_offset` is null at its end.
    static let piece: [(String, ToolResult)] = [
        ("bytes?", .integer), ("offset?", .integer), ("text?", .text), ("base64?", .text),
        ("next_offset", .orNull(.integer)),
    ]

    /// How much of a body was recorded, if not all of it was read.
    static let missing: [(String, ToolResult)] = [
        ("recorded_bytes?", .integer), ("not_read?", .text), ("body_problem?", .text),
    ]

    /// Counts of a part of the exchanges.
    static let totals: [(String, ToolResult)] = [
        ("count", .integer), ("errors", .integer), ("bytes", .integer),
        ("last_started_at", .textOrNull),
    ]

    /// The schema of a tool's whole result.
    /// - Parameter isCaptured: Whether it contains captured text.
    static func schema(
        _ members: [(String, ToolResult)], isCaptured: Bool
    ) -> JSONValue {
        let origin: [(String, ToolResult)] =
            isCaptured ? [("untrusted", .flag), ("origin", .text)] : []
        return ToolResult.members(
            members + origin + [("shortened?", .flag), ("advice?", .text)]
        ).schema
    }
}
