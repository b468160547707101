internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydRules

/// A new rule as it is typed.
struct RuleDraft: Sendable, Hashable {
    /// Why it is no rule yet, in words for a person.
    struct Problem: Error {
        let words: String
    }

    var name = ""
    /// Empty for all exchanges.
    var filter = ""
    /// One action on requests, in the short form or as a table; empty for none.
    var request = ""
    /// One action on responses; empty for none.
    var response = ""

    /// Whether it does something.
    var hasActions: Bool { !request.isEmpty || !response.isEmpty }

    /// A rule of nothing yet.
    init() {}

    /// A rule for what an exchange asked for.
    init(for row: ExchangeRow) {
        name = [row.method, row.path].compactMap { $0 }.joined(separator: " ")
        let terms = [("host", row.host), ("method", row.method), ("path", row.path)]
        filter = terms.compactMap { field, value in
            value.map { "\(field)=\(FilterText.quoted($0))" }
        }.joined(separator: " ")
    }

    /// Its lines, as a file has them; what they mean is not judged.
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

    /// Its lines with examples of what it could do, for an editor.
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
