package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
package import ProxydHTTPModel
internal import ProxydInterchange
package import ProxydParameterCoding
package import ProxydPresentation
package import ProxydRules

/// What rules would have done to captured exchanges, counted rule by rule.
package struct RuleTestCounts {
    /// What one rule would have done.
    package struct Line {
        /// The numbers of the exchanges that the rule would have matched.
        package fileprivate(set) var matches: Set<Int64> = []
        /// How often it would have done what.
        package fileprivate(set) var outcomes: [String: Int] = [:]
        /// The names of the first and the last exchange that it would have matched, in the order
        /// of the test.
        package fileprivate(set) var first: String?
        package fileprivate(set) var last: String?
    }

    /// The names of the rules that are on, in order.
    package let names: [String]
    private var lines: [String: Line] = [:]
    private var misses: RuleMisses
    package private(set) var exchangeCount = 0

    /// - Parameters:
    ///   - name: The only rule to count, or nil for all of them.
    ///   - now: The time that `-15m` in a filter is relative to, in nanoseconds since 1970.
    package init(_ rules: RuleSet, only name: String?, now: Int64) {
        misses = RuleMisses(name.map(rules.only) ?? rules, now: now)
        names = rules.rules.filter(\.isEnabled).map(\.name).filter { name == nil || $0 == name }
    }

    package func line(_ name: String) -> Line { lines[name] ?? Line() }

    /// Why a rule matches none of the exchanges; nil if it matches one, or is not reached.
    package func miss(_ name: String) -> RuleMisses.Reason? { misses.reason(of: name) }

    /// - Parameter name: The exchange's name for users.
    package mutating func add(_ results: [AppliedRule], to exchange: Exchange, named name: String) {
        exchangeCount += 1
        misses.add(exchange, named: name, matching: Set(results.map(\.rule)))
        for result in results {
            var line = line(result.rule)
            if !result.outcome.hasPrefix("not reached") {
                line.matches.insert(exchange.id.rawValue)
                line.first = line.first ?? name
                line.last = name
            }
            line.outcomes[result.outcome, default: 0] += 1
            lines[result.rule] = line
        }
    }

    /// An object for each rule.
    /// - Parameters:
    ///   - showsValues: Whether values that filters examined may be in it: they may be credentials.
    ///   - exchangeName: How the name of an exchange is written.
    package func json(
        showsValues: Bool, name exchangeName: (String) -> JSONValue = ExchangeNameJSON.value
    ) -> [JSONValue] {
        names.map { name in
            let line = line(name)
            return .members([
                ("rule", .string(name)), ("matches", .integer(line.matches.count)),
                ("exchanges", .integer(exchangeCount)),
                (
                    "outcomes",
                    .members(
                        line.outcomes.sorted { $0.key < $1.key }.map {
                            ($0.key, .integer($0.value))
                        })
                ),
                ("first", line.first.map(exchangeName) ?? .null),
                ("last", line.last.map(exchangeName) ?? .null),
                ("never_because", .text(miss(name)?.text(showsValues: showsValues))),
            ])
        }
    }
}

/// What the mocks of tested rules would serve.
package final class TrialMocks {
    /// The maximum number of body bytes that are compared and served.
    private static let bodyByteCountMax = 64 << 20

    private let reader: any ExchangeReading
    private let nowNs: Int64
    private var tables: [MockPosition: MockTable] = [:]
    /// The mocks whose captures cannot be read.
    private var unread: Set<MockPosition> = []

    /// Creates mocks that serve captures of a store.
    /// - Parameter nowNs: The current time in nanoseconds since 1970, for dates that are refreshed.
    package init(_ reader: any ExchangeReading, nowNs: Int64) {
        self.reader = reader
        self.nowNs = nowNs
    }

    /// What a request would be served, after earlier requests.
    package func served(_ call: MockCall) -> MockServed {
        guard call.request.body != nil else {
            return .forwarded("undecided: part of the body was not recorded")
        }
        let position = call.position
        if tables[position] == nil, !unread.contains(position) { read(call.mock, at: position) }
        switch tables[position]?.answer(to: call.request) {
        case .capture(let id): return served(id, call.mock)
        case .unmatched(let miss): return TrialMocks.unmatched(miss, call.mock)
        case nil: return .forwarded("undecided: the captures cannot be read")
        }
    }

    private func read(_ mock: RuleMock, at position: MockPosition) {
        tables[position] = table(of: mock)
        if tables[position] == nil { unread.insert(position) }
    }

    private func table(of mock: RuleMock) -> MockTable? {
        var table = MockTable(mock.matching, order: mock.order)
        do throws(StoreError) {
            try reader.forEachRow(matching: mock.filter, .oldest) { row throws(StoreError) in
                let exchange = try reader.exchange(
                    row.id, bodyByteCountMax: TrialMocks.bodyByteCountMax)
                guard let exchange, !MockCapture.isOfRule(exchange),
                    let capture = try? MockCapture(exchange)
                else { return true }
                return table.add(capture.request, id: capture.id)
            }
            return table
        } catch {
            return nil
        }
    }

    private func served(_ id: Int64, _ mock: RuleMock) -> MockServed {
        let exchange = try? reader.exchange(
            ExchangeID(rawValue: id), bodyByteCountMax: TrialMocks.bodyByteCountMax)
        let answer = exchange.flatMap {
            RuleAnswer($0, isRefreshed: mock.isRefreshed, nowNs: nowNs)
        }
        let name = (try? reader.name(of: ExchangeID(rawValue: id))) ?? "\(id)"
        guard let answer else { return .forwarded("capture \(name) no longer exists") }
        return .answer(answer, note: "status \(answer.status), capture \(name)")
    }

    private static func unmatched(_ miss: MockMiss, _ mock: RuleMock) -> MockServed {
        switch mock.unmatched {
        case .status(let status):
            .answer(RuleAnswer(status: status), note: "status \(status), \(miss.note)")
        case .close: .closed(miss.note)
        case .forward: .forwarded("\(miss.note), forwarded")
        }
    }
}

/// What rules would have made of an exchange, compared with what was received.
package struct TrialChanges {
    private let outcome: RuleTrial.Outcome
    private let sections: [DiffSection]

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

package enum RuleExplanation {
    /// As text, a line for the rule and one for each test of its filter.
    package static func lines(
        _ rule: Rule, _ results: [AppliedRule], _ tests: [RuleTrial.Test]
    ) -> [String] {
        let outcomes = results.map { result in
            let detail = result.detail.map { " (\($0))" } ?? ""
            return "\(result.phase.rawValue): \(result.outcome)\(detail)"
        }
        var lines = ["\(rule.name)  \(summary(rule, outcomes))"]
        for test in tests {
            let mark = test.holds.map { $0 ? "holds" : "fails" } ?? "undecided"
            let value = test.value.map { ": \($0)" } ?? ""
            lines.append("  column \(test.column)  \(test.name)  \(mark)\(value)")
        }
        return lines
    }

    private static func summary(_ rule: Rule, _ outcomes: [String]) -> String {
        if !rule.isEnabled { return "is switched off" }
        return outcomes.isEmpty ? "does not match" : outcomes.joined(separator: "; ")
    }

    package static func value(
        _ rule: Rule, _ results: [AppliedRule], _ tests: [RuleTrial.Test]
    ) -> JSONValue {
        .members([
            ("rule", .string(rule.name)), ("enabled", .bool(rule.isEnabled)),
            ("when", .string(rule.filter.text)),
            ("applied", applied(results)),
            (
                "tests",
                .array(
                    tests.map {
                        .members([
                            ("column", .integer($0.column)), ("field", .string($0.name)),
                            ("holds", $0.holds.map(JSONValue.bool) ?? .null),
                            ("value", .text($0.value)),
                        ])
                    })
            ),
        ])
    }

    package static func applied(_ results: [AppliedRule]) -> JSONValue {
        .array(
            results.map {
                .members([
                    ("rule", .string($0.rule)), ("phase", .string($0.phase.rawValue)),
                    ("outcome", .string($0.outcome)), ("detail", .text($0.detail)),
                ])
            })
    }
}
