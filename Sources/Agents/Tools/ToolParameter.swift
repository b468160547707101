internal import ProxydExchangeContent
internal import ProxydParameterCoding

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
        /// A text or null.
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

    /// The name of an exchange.
    static let id = ToolParameter(
        "id", .exchange, "The exchange's id, as a row has it.", isRequired: true)
    /// A filter over exchanges.
    static let filter = ToolParameter(
        "filter", .text,
        "Which exchanges, in the filter language: host=api.test status>=500. All if absent; the "
            + "resource proxyd://filter-language is the manual.")

    /// The schema of an object with these parameters.
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
