internal import ProxydCaptureModel
internal import ProxydExchangeContent
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
    let body: Body

    init(
        _ name: String, _ title: String, _ description: String, effect: Effect = .reads,
        _ parameters: [ToolParameter], _ body: @escaping Body
    ) {
        self.name = name
        self.title = title
        self.description = description
        self.effect = effect
        self.parameters = parameters
        self.body = body
    }

    /// The tool as `tools/list` describes it.
    var json: JSONValue {
        .members([
            ("name", .string(name)), ("title", .string(title)),
            ("description", .string(description)),
            ("inputSchema", ToolParameter.schema(parameters)),
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
