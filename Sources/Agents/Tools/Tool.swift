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
    /// The JSON Schema of its results.
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
