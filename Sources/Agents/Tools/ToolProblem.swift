internal import ProxydCaptureModel
internal import ProxydOperations
internal import ProxydStoreAnswers

/// Why a tool has no result, said so that an agent can do better. Sent as a result with `isError`.
struct ToolProblem: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The problem for an error of a read or an action.
    init(_ error: any Error) {
        switch error {
        case let problem as ToolProblem: self = problem
        case let problem as AnswerProblem: self.init(problem)
        case let error as StoreError: self.init(AnswerProblem(error))
        case is CancellationError: self = .timeout
        default: self.init("\(error)")
        }
    }

    private init(_ problem: AnswerProblem) {
        switch (problem.kind, problem.column) {
        case (.cancelled, _): self = .timeout
        case (_, let column?): self.init("column \(column): \(problem.description)")
        default: self.init(problem.description)
        }
    }

    private static let timeout = ToolProblem(
        "the call took too long and was ended; use a narrower filter, such as one with id>=7 or "
            + "time>-1h")

    static func notAllowed(_ flag: String) -> ToolProblem {
        ToolProblem("this is not allowed; the user can allow it with \(flag)")
    }
}
