internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// A tool that agents can call. Its description is a constant: nothing captured can change it.
struct Tool {
    /// What a tool does to the world, for clients that ask before a call.
    enum Effect {
        case reads
        /// Changes notes and tags, or writes a file.
        case adds
        /// Sends requests to servers.
        case sends
    }

    typealias Body = @Sendable (ToolArguments) throws -> ToolAnswer

    let name: String
    let title: String
    let description: String
    let effect: Effect
    let parameters: [ToolParameter]
    let resultSchema: JSONValue
    let body: Body

    /// - Parameters:
    ///   - result: The members of its results, without those that every result may have.
    ///   - isCaptured: Whether its results contain captured text.
    init(
        _ name: String, _ title: String, _ description: String, effect: Effect = .reads,
        _ parameters: [ToolParameter], returns result: [(String, ToolResult)],
        isCaptured: Bool = true, _ body: @escaping Body
    ) {
        self.name = name
        self.title = title
        self.description = description
        self.effect = effect
        self.parameters = parameters
        resultSchema = ToolResult.schema(result, isCaptured: isCaptured)
        self.body = body
    }

    /// The tool as `tools/list` describes it.
    var json: JSONValue {
        .members([
            ("name", .string(name)), ("title", .string(title)),
            ("description", .string(description)),
            ("inputSchema", ToolParameter.schema(parameters)), ("outputSchema", resultSchema),
            (
                "annotations",
                .members([
                    ("readOnlyHint", .bool(effect == .reads)),
                    ("destructiveHint", .bool(effect == .sends)),
                    ("openWorldHint", .bool(effect == .sends)),
                ])
            ),
        ])
    }
}

/// A parameter of a tool, as its JSON Schema describes it.
struct ToolParameter {
    enum Kind {
        case text
        case integer(ClosedRange<Int>)
        /// A position in a list, as an earlier answer has it.
        case position
        /// The name of an exchange: its number, or text such as `ci-17:4711` in a central store.
        case exchange
        case flag
        case choice([String])
        case texts
        /// `[[name, value], …]`.
        case pairs
        case nullableText
    }

    let name: String
    let kind: Kind
    let description: String
    var isRequired = false

    init(_ name: String, _ kind: Kind, _ description: String, isRequired: Bool = false) {
        self.name = name
        self.kind = kind
        self.description = description
        self.isRequired = isRequired
    }

    static let id = ToolParameter(
        "id", .exchange, "The exchange's id, as a row has it.", isRequired: true)
    static let filter = ToolParameter(
        "filter", .text,
        "Which exchanges, in the filter language: host=api.test status>=500. All if absent; the "
            + "resource proxyd://filter-language is the manual.")

    static func schema(_ parameters: [ToolParameter]) -> JSONValue {
        .members([
            ("type", .string("object")),
            ("properties", .members(parameters.map { ($0.name, $0.schema) })),
            ("required", .strings(parameters.filter(\.isRequired).map(\.name))),
            ("additionalProperties", .bool(false)),
        ])
    }

    private var schema: JSONValue {
        .members(typeMembers + [("description", .string(description))])
    }

    private var typeMembers: [(String, JSONValue)] {
        switch kind {
        case .text: [("type", .string("string"))]
        case .nullableText: [("type", .strings(["string", "null"]))]
        case .flag: [("type", .string("boolean"))]
        case .choice(let names): [("type", .string("string")), ("enum", .strings(names))]
        case .integer(let range):
            [("type", .string("integer")), ("minimum", .integer(range.lowerBound))]
                + (range.upperBound == .max ? [] : [("maximum", .integer(range.upperBound))])
        case .exchange, .position: [("type", .strings(["integer", "string"]))]
        case .texts:
            [("type", .string("array")), ("items", .members([("type", .string("string"))]))]
        case .pairs:
            [
                ("type", .string("array")),
                (
                    "items",
                    .members([
                        ("type", .string("array")), ("minItems", .integer(2)),
                        ("maxItems", .integer(2)),
                        ("items", .members([("type", .string("string"))])),
                    ])
                ),
            ]
        }
    }
}

/// The arguments of a call. Each accessor throws a problem that names the argument.
struct ToolArguments {
    /// The arguments by name, without those that are null, unless null is a value.
    let members: [String: JSONValue]

    /// Checks the names; the values are checked as they are read.
    init(_ value: JSONValue, _ parameters: [ToolParameter]) throws(ToolProblem) {
        var members: [String: JSONValue] = [:]
        for member in value.members {
            guard let known = parameters.first(where: { $0.name == member.name }) else {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw ToolProblem(
                    "there is no argument \(member.name)"
                        + (names.isEmpty ? "; this tool takes none" : "; there are: \(names)"))
            }
            if case .nullableText = known.kind {} else if member.value == .null { continue }
            members[member.name] = member.value
        }
        for wanted in parameters where wanted.isRequired && members[wanted.name] == nil {
            throw ToolProblem("the argument \(wanted.name) is missing")
        }
        self.members = members
    }

    func text(_ name: String) throws(ToolProblem) -> String? {
        switch members[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw ToolProblem("\(name) must be a string")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(ToolProblem) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ToolProblem("\(name) must be one of: \(names)")
        }
        return choice
    }

    func flag(_ name: String) throws(ToolProblem) -> Bool? {
        switch members[name] {
        case nil: return nil
        case .bool(let flag)?: return flag
        default: throw ToolProblem("\(name) must be true or false")
        }
    }

    /// A whole number. Agents often write numbers as strings, which are accepted.
    func number(_ name: String, in range: ClosedRange<Int>) throws(ToolProblem) -> Int? {
        let number: Int?
        switch members[name] {
        case nil: return nil
        case .string(let text)?: number = Int(text)
        case let value?: number = value.integer.flatMap { Int(exactly: $0) }
        }
        guard let number, range.contains(number) else {
            let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw ToolProblem("\(name) must be a whole number from \(range.lowerBound)\(end)")
        }
        return number
    }

    /// The name of an exchange, which may be written as a number.
    func exchangeName(_ name: String) throws(ToolProblem) -> String? {
        let text: String?
        switch members[name] {
        case nil: return nil
        case .string(let written)?: text = written
        case let value?: text = value.integer.map(String.init)
        }
        guard let text, let number = ExchangeName(text)?.number, number > 0 else {
            throw ToolProblem("\(name) must be a whole number from 1, or an id as a row has it")
        }
        return text
    }

    /// The filter; one that matches everything if it is absent.
    func filter(now: Int64) throws(ToolProblem) -> Filter {
        guard let text = try text("filter"), !text.isEmpty else { return .everything }
        do throws(FilterError) {
            return try Filter.parse(text, now: now)
        } catch {
            throw ToolProblem("filter: column \(error.column): \(error.message)")
        }
    }
}

/// The type of a value in a tool's result, as its JSON Schema describes it.
indirect enum ToolResult: Sendable {
    case text
    case integer
    case number
    case flag
    case anything
    /// An object with any members.
    case record
    case choice([String])
    case orNull(ToolResult)
    case list(ToolResult)
    /// An object with these members and no others; those whose names end in `?` may be absent.
    case members([(String, ToolResult)])

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
            ("properties", .members(members.map { (String($0.prefix { $0 != "?" }), $1.schema) })),
            ("required", .strings(required)), ("additionalProperties", .bool(false)),
        ]
    }

    // MARK: Values that several tools have

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

    static let totals: [(String, ToolResult)] = [
        ("count", .integer), ("errors", .integer), ("bytes", .integer),
        ("last_started_at", .textOrNull),
    ]

    /// The schema of a tool's whole result.
    static func schema(_ members: [(String, ToolResult)], isCaptured: Bool) -> JSONValue {
        let origin: [(String, ToolResult)] =
            isCaptured ? [("untrusted", .flag), ("origin", .text)] : []
        return ToolResult.members(
            members + origin + [("shortened?", .flag), ("advice?", .text)]
        ).schema
    }
}
