internal import ProxydOperations
internal import ProxydStoreAnswers
internal import ProxydWebServer

/// Turns errors of actions into problems that say whose fault it is.
enum WebFailure {
    /// Runs an action. A rule that is refused is the request's fault (422), a file that was changed
    /// meanwhile a conflict (409), and a message that is not held missing (404); everything else is
    /// answered 502 with the action's message.
    static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as WebProblem {
            throw problem
        } catch let problem as AnswerProblem {
            throw WebProblem(problem)
        } catch let refusal as RuleRefusal {
            throw WebProblem(refusal.reason == .rules ? 422 : 409, refusal.description)
        } catch let problem as HoldProblem {
            throw WebProblem(WebFailure.status(of: problem), problem.description)
        } catch {
            throw WebProblem(502, "\(error)")
        }
    }

    private static func status(of problem: HoldProblem) -> Int {
        switch problem.kind {
        case .notHeld: 404
        case .taken: 409
        case .badEdit: 422
        }
    }
}

extension WebProblem {
    /// The problem of a question about the store.
    init(_ problem: AnswerProblem) {
        let status =
            switch problem.kind {
            case .invalid: 400
            case .missing: 404
            case .conflict: 409
            case .cancelled: 499
            case .unavailable: 503
            }
        self.init(status, problem.description, column: problem.column)
    }
}
