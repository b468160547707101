internal import ProxydExchangeContent
package import ProxydHTTPModel
package import ProxydParameterCoding
package import ProxydPresentation
package import ProxydRules

/// What rules would have made of an exchange, compared with what came.
package struct TrialChanges {
    private let outcome: RuleTrial.Outcome
    private let sections: [DiffSection]

    /// - Parameter exchange: The exchange as it was captured.
    package init(_ exchange: Exchange, _ outcome: RuleTrial.Outcome) throws {
        self.outcome = outcome
        var sections = try MessageChanges.sections(of: outcome.exchange) { false }
        if exchange.response == nil, let answer = outcome.exchange.response {
            let lines = HeadLines.response(answer, error: nil)
            let body = try BodyLines(answer.body, answer.head.fields) { false }
            sections.append(
                DiffSection(
                    "Response",
                    try DiffSection.compare([], lines) { false }
                        + DiffSection.compare([.none, body], called: ["received", "sent"]) { false }
                ))
        }
        self.sections = sections
    }

    private var notes: [String] {
        var notes = outcome.applied.map { result in
            let detail = result.detail.map { " (\($0))" } ?? ""
            return "\(result.rule)  \(result.phase.rawValue): \(result.outcome)\(detail)"
        }
        if let server = outcome.server {
            notes.append("the request is sent to \(server.scheme)://\(server.authority)")
        }
        if outcome.isUnsent { notes.append("the request is not sent to a server") }
        if let end = outcome.end { notes.append("the client gets no response: \(end)") }
        if outcome.applied.isEmpty { notes.append("no rule matches") }
        if sections.allSatisfy(\.isEqual) { notes.append("no message is changed") }
        return notes
    }

    /// As text: what each rule would have done, and the changed messages line by line.
    package var lines: [StyledText] {
        var lines = notes.map { StyledText($0) }
        for section in sections where !section.isEqual {
            if !section.title.isEmpty { lines += ["", StyledText(section.title, .heading)] }
            lines += section.lines.map { line in
                StyledText("\(line.sign) ") + line.text
            }
        }
        return lines
    }

    /// As JSON.
    package var json: JSONValue {
        .members([
            ("applied", RuleExplanation.applied(outcome.applied)),
            (
                "sent_to",
                .text(outcome.server.map { "\($0.scheme)://\($0.authority)" })
            ),
            ("unsent", .bool(outcome.isUnsent)), ("end", .text(outcome.end)),
            ("sections", ComparisonJSON.value(sections)), ("untrusted", .bool(true)),
        ])
    }
}
