internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension HeldMessage.Content {
    /// Returns the message with edits applied, and the outcome of each.
    /// - Parameter seen: The body as the edits see it; the message's own body is kept if none of
    ///   them changes it.
    func edited(
        by edits: [RuleEdit], seeing seen: RuledBody
    ) -> (content: HeldMessage.Content, outcomes: [RuleOutcome]) {
        switch self {
        case .request(let request, let body):
            var editor = RequestEditor(request, seen)
            let outcomes = edits.map { editor.apply($0) }
            let edited = editor.finish()
            return (
                .request(edited.message, edited.body.map(RuledBody.whole) ?? body), outcomes
            )
        case .response(let response, let body, let request):
            var editor = ResponseEditor(response, to: request.head.method, seen)
            let outcomes = edits.map { editor.apply($0) }
            let edited = editor.finish()
            let left = edited.body.map(RuledBody.whole) ?? body
            return (.response(edited.message, left, to: request), outcomes)
        }
    }
}
