internal import ProxydOperations
internal import ProxydWebServer

/// Turns errors of actions into problems that say whose fault it is.
enum WebFailure {
    /// Runs an action. A rule that is refused is the request's fault (422), a file that was changed
    /// meanwhile a conflict (409); everything else is answered 502 with the action's message.
    static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as WebProblem {
            throw problem
        } catch let refusal as RuleRefusal {
            throw WebProblem(refusal.reason == .rules ? 422 : 409, refusal.description)
        } catch {
            throw WebProblem(502, "\(error)")
        }
    }
}
