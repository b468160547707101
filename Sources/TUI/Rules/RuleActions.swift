internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydOperations

/// Actions about rules, on any screen that shows an exchange.
enum RuleActions {
    /// The effects of an action on an exchange; empty for other actions.
    static func effects(_ action: ActionID, _ row: ExchangeRow) -> [RowActions.Effect] {
        switch action {
        case .showRules: [.ask(RulesScreen()) { .focused($0) }]
        case .ruleForExchange:
            [.ask(RulesScreen(adding: RuleDraft(for: row))) { .focused($0) }]
        case .mapBody: [.ask(FormDialog.mapping(row)) { .focused($0) }]
        default: []
        }
    }
}

extension FormDialog {
    /// Asks where to save the body of a response, and for the name of the rule that serves it.
    static func mapping(_ row: ExchangeRow) -> FormDialog {
        let id = row.id
        let type = BodyFacts(contentType: row.responseContentType, bytes: [0x20])
        let ending = DetailScreen.fileExtension(type)
        return FormDialog(
            "Serve the response from a file",
            [
                .text("File", FileNames.body(row, .response, fileExtension: ending)),
                .text("Rule", "map \(row.path ?? "")"),
                .choice("In", ["the rules file", "the daemon's memory"]),
            ], verb: "serves it"
        ) { answers throws(Refusal) in
            guard !answers.text(0).isEmpty else { throw Refusal(words: "a file needs a name") }
            return .become(
                RuleMapScreen(
                    RuleMapOrder(
                        id: id, file: NewFile.expanded(answers.text(0)),
                        rule: answers.text(1), isTemporary: answers.choice(2) == 1)))
        }
    }
}
