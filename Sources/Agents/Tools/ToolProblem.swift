internal import ProxydCaptureModel
internal import ProxydStoreAnswers

/// Why a tool has no result, worded so that an agent can do better. Sent as a result with
/// `isError`.
struct ToolProblem: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether the text has only our words and the agent's: it quotes nothing captured.
    let isOwn: Bool

    init(_ description: String) {
        self.description = description
        isOwn = true
    }

    /// The problem for an error of a read or an action.
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

    /// The problem of a call that took too long, or that the client cancelled.
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
