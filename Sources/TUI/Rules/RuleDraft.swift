internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydRules

/// A new rule as it is being typed.
struct RuleDraft: Sendable, Hashable {
    /// Why it is not a valid rule yet, as a message for users.
    struct Problem: Error {
        let words: String
    }

    var name = ""
    /// The filter; empty for all exchanges.
    var filter = ""
    /// One action on requests, in short form or as a table; empty for none.
    var request = ""
    /// One action on responses; empty for none.
    var response = ""

    /// Whether it has any action.
    var hasActions: Bool { !request.isEmpty || !response.isEmpty }

    /// Creates an empty draft.
    init() {}

    /// Creates a draft that matches an exchange's URL.
    init(for row: ExchangeRow) {
        name = [row.method, row.path].compactMap { $0 }.joined(separator: " ")
        let terms = [("host", row.host), ("method", row.method), ("path", row.path)]
        filter = terms.compactMap { field, value in
            value.map { "\(field)=\(FilterText.quoted($0))" }
        }.joined(separator: " ")
    }

    /// The lines for the file; their meaning is not checked.
    func lines() throws(Problem) -> String {
        guard !name.isEmpty else { throw Problem(words: "a rule needs a name") }
        var actions: [(phase: RulePhase, table: String)] = []
        do throws(RuleShortForm.Problem) {
            for (phase, text) in [(RulePhase.request, request), (.response, response)]
            where !text.isEmpty {
                actions.append((phase, try RuleShortForm.table(text)))
            }
        } catch {
            throw Problem(words: error.description)
        }
        return RuleShortForm.rule(name, when: filter.isEmpty ? nil : filter, actions: actions)
    }

    /// The lines with examples of actions, for an editor.
    var skeleton: String {
        RuleShortForm.rule(name, when: filter.isEmpty ? nil : filter, actions: []) + """
            request = [
              # { set = "header:X-Env", value = "staging" },
              # { send_to = "https://staging.example.com", host = "keep" },
              # { serve = "/srv/www", strip = "/static" },
              # { block = 403 },
            ]
            response = [
              # { set = "json:feature.beta", value = true },
              # { replace = "body", match = 'a', with = "b" },
            ]

            """
    }
}
