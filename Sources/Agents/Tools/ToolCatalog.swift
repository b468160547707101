internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydOperations
internal import ProxydSystem

/// The tools that the policy allows, and how they are called.
struct ToolCatalog {
    private static let callNsMax: Int64 = 30_000_000_000

    private let tools: [Tool]
    private let finish: AnswerFinish

    init(_ services: AgentServices, _ store: AgentStore) {
        finish = AnswerFinish(services.policy)
        tools =
            ListTools(store: store, finish: finish).all
            + ExchangeTools(store: store, finish: finish).all
            + BodyTool(store, finish).all
            + RuleTools(services, store).all + QueryTools(services: services, store: store).all
            + ChangeTools(services: services, store: store).all
    }

    var list: JSONValue { .array(tools.map(\.json)) }

    /// An error inside the tool is a result with `isError`, so that the agent can read it.
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
                try cancellation.run { try tool.body(ToolArguments(arguments, tool.parameters)) }
            }
            return result(finish.value(answer))
        } catch {
            let problem = finish.message(
                ToolProblem(error, of: tool, isEnded: cancellation.isCancelled))
            return [("content", .array([ToolCatalog.text(problem)])), ("isError", .bool(true))]
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

/// Ends the reads of a closure that takes too long.
enum TimeLimit {
    private static let stackByteCount = 256 << 10

    /// Runs a closure; cancels its reads after a time in nanoseconds.
    static func run<Value>(
        _ nanoseconds: Int64, _ cancellation: ReadCancellation, _ body: () throws -> Value
    ) rethrows -> Value {
        let isDone = Semaphore()
        // Without a thread there is no limit, which is better than no answer.
        _ = startDetachedThread(stackByteCount: stackByteCount) {
            if !isDone.wait(forNs: nanoseconds) { cancellation.cancel() }
        }
        defer { isDone.signal() }
        return try body()
    }
}

/// The result of a tool, before it is made safe and cut.
struct ToolAnswer {
    let members: [(String, JSONValue)]
    /// Where captured text in it comes from; nil if there is none.
    let origin: String?
    /// How to get what is cut from an answer that is too long.
    let advice: String

    static func captured(
        _ members: [(String, JSONValue)], from origin: String, advice: String
    ) -> ToolAnswer {
        ToolAnswer(members: members, origin: origin, advice: advice)
    }

    /// Creates an answer without captured text.
    static func own(
        _ members: [(String, JSONValue)], advice: String = "ask for less at a time"
    ) -> ToolAnswer {
        ToolAnswer(members: members, origin: nil, advice: advice)
    }
}

/// Why a tool has no result, worded so that an agent can do better; a result with `isError`.
struct ToolProblem: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether the text has only our words and the agent's: it quotes nothing captured.
    let isOwn: Bool

    init(_ description: String) {
        self.description = description
        isOwn = true
    }

    /// - Parameter isEnded: Whether the call was cancelled or took too long.
    init(_ error: any Error, of tool: Tool, isEnded: Bool) {
        switch error {
        case let problem as ToolProblem: self = problem
        case let problem as AnswerProblem: self.init(problem, tool)
        case let error as StoreError: self.init(AnswerProblem(error), tool)
        case is CancellationError: self = .ended(tool)
        default: self = isEnded ? .ended(tool) : ToolProblem(foreign: "\(error)")
        }
    }

    private init(foreign description: String) {
        self.description = description
        isOwn = false
    }

    private init(_ problem: AnswerProblem, _ tool: Tool) {
        switch (problem.kind, problem.column) {
        case (.cancelled, _): self = .ended(tool)
        case (_, let column?): self.init("column \(column): \(problem.description)")
        default: self.init(foreign: problem.description)
        }
    }

    private static func ended(_ tool: Tool) -> ToolProblem {
        switch tool.effect {
        case .reads:
            ToolProblem(
                "the call took too long and was ended; use a narrower filter, such as one with "
                    + "id>=7 or time>-1h")
        case .adds: ToolProblem("the call took too long and was ended; it may have had its effect")
        case .sends:
            ToolProblem(
                "the call was ended before the response was complete; the request may have been "
                    + "sent: look for it with list_exchanges before you send it again")
        }
    }

    static func notAllowed(_ flag: String) -> ToolProblem {
        ToolProblem("this is not allowed; the user can allow it with \(flag)")
    }
}
