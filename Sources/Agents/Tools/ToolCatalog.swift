internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding

/// The tools that the policy allows, and how they are called.
struct ToolCatalog {
    /// The longest time of a call in nanoseconds.
    private static let callNsMax: Int64 = 30_000_000_000

    private let tools: [Tool]
    private let finish: AnswerFinish

    init(_ services: AgentServices, _ store: AgentStore) {
        finish = AnswerFinish(services.policy)
        tools =
            ListTools(store, finish).all + ExchangeTools(store, finish).all
            + BodyTool(store, finish).all
            + RuleTools(services, store).all + QueryTools(services, store).all
            + ChangeTools(services, store).all
    }

    var list: JSONValue { .array(tools.map(\.json)) }

    /// Calls the tool that the parameters name. What goes wrong inside it is a result with
    /// `isError`, so that the agent can read it.
    func call(
        _ parameters: JSONValue, _ cancellation: ReadCancellation
    ) throws(RPCError) -> [(String, JSONValue)] {
        guard let name = parameters["name"]?.text else {
            throw RPCError(.invalidParameters, "name must be a string")
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            throw RPCError(.invalidParameters, "there is no tool \(name.prefix(100))")
        }
        let arguments = parameters["arguments"] ?? .object([])
        guard case .object = arguments else {
            throw RPCError(.invalidParameters, "arguments must be an object")
        }
        do {
            let answer = try TimeLimit.run(ToolCatalog.callNsMax, cancellation) {
                try cancellation.run {
                    try tool.body(ToolArguments(arguments, tool.parameters))
                }
            }
            return result(finish.value(answer))
        } catch {
            let problem = finish.message(
                ToolProblem(error, of: tool, isEnded: cancellation.isCancelled))
            return [
                ("content", .array([ToolCatalog.text(problem)])), ("isError", .bool(true)),
            ]
        }
    }

    /// The result as a value, and as text for clients that do not read values.
    private func result(_ value: JSONValue) -> [(String, JSONValue)] {
        let text = String(decoding: MCPServer.text(value), as: UTF8.self)
        return [
            ("content", .array([ToolCatalog.text(text)])), ("structuredContent", value),
            ("isError", .bool(false)),
        ]
    }

    private static func text(_ text: String) -> JSONValue {
        .members([("type", .string("text")), ("text", .string(text))])
    }
}
