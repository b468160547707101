internal import ProxydEventLoops
internal import ProxydHTTPWire
internal import ProxydRules

extension ExchangeRuleActor {
    /// Runs the scripts for a request, one after another.
    /// - Parameter goOn: Called with the final decision, unless the client leaves.
    func ask(
        _ decided: RequestDecision, _ body: RuledBody, on loop: EventLoop,
        _ goOn: @escaping (RequestDecision) -> Void
    ) {
        var decided = decided
        guard let question = run.nextQuestion(&decided, body: body, of: exchange) else {
            return goOn(decided)
        }
        services.scripts.ask(question, on: loop) { [weak self, decided] end in
            guard let self, !isOver else { return }
            var decided = decided
            run.settle(&decided, question, end)
            ask(decided, body, on: loop, goOn)
        }
    }

    /// Runs the scripts for a response, one after another.
    /// - Parameter goOn: Called with the final decision, unless the client leaves.
    func ask(
        _ decided: ResponseDecision, _ body: RuledBody, on loop: EventLoop,
        _ goOn: @escaping (ResponseDecision) -> Void
    ) {
        var decided = decided
        guard let request,
            let question = run.nextQuestion(&decided, body: body, to: request, of: exchange)
        else { return goOn(decided) }
        services.scripts.ask(question, on: loop) { [weak self, decided] end in
            guard let self, !isOver else { return }
            var decided = decided
            run.settle(&decided, question, end)
            ask(decided, body, on: loop, goOn)
        }
    }
}
