internal import ProxydPresentation
internal import Foundation
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydRules

/// The result of a test of rules, rule by rule.
struct RuleTestReport {
    /// What one rule would have done.
    private struct Line {
        var matches: Set<Int64> = []
        var outcomes: [String: Int] = [:]
        var first: Int64?
        var last: Int64?
    }

    private let names: [String]
    private var lines: [String: Line] = [:]
    private var exchangeCount = 0

    init(_ rules: RuleSet, only name: String?) {
        names = rules.rules.filter(\.isEnabled).map(\.name).filter { name == nil || $0 == name }
    }

    mutating func add(_ results: [AppliedRule], to id: ExchangeID) {
        exchangeCount += 1
        for result in results {
            var line = lines[result.rule] ?? Line()
            if !result.outcome.hasPrefix("not reached") {
                line.matches.insert(id.rawValue)
                line.first = line.first ?? id.rawValue
                line.last = id.rawValue
            }
            line.outcomes[result.outcome, default: 0] += 1
            lines[result.rule] = line
        }
    }

    func printText() {
        guard !names.isEmpty else { return Report.warn("no rule is switched on") }
        var table = TextTable([
            TextTable.Column(title: "RULE"), TextTable.Column(title: "WOULD MATCH"),
            TextTable.Column(title: "WHAT IT WOULD DO"), TextTable.Column(title: "EXCHANGES"),
        ])
        for name in names {
            let line = lines[name] ?? Line()
            let outcomes = line.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let span = line.first.map { first in
                line.last == first ? "\(first)" : "first \(first), last \(line.last ?? first)"
            }
            table.append([
                StyledText(name), StyledText("\(line.matches.count) of \(exchangeCount)"),
                StyledText(outcomes.isEmpty ? "never matches" : outcomes),
                StyledText(span ?? "-", .dim),
            ])
        }
        for line in table.lines() { Report().line(line) }
    }

    func printJSON() {
        for name in names {
            let line = lines[name] ?? Line()
            Report().json(
                .members([
                    ("rule", .string(name)), ("matches", .integer(line.matches.count)),
                    ("exchanges", .integer(exchangeCount)),
                    (
                        "outcomes",
                        .members(
                            line.outcomes.sorted { $0.key < $1.key }.map {
                                ($0.key, .integer($0.value))
                            })
                    ),
                    ("first", line.first.map { .integer(Int($0)) } ?? .null),
                    ("last", line.last.map { .integer(Int($0)) } ?? .null),
                ]))
        }
    }

    /// - Throws: If a rule did not match as often as expected.
    func check(_ expectations: [RuleExpectation]) throws {
        var failures: [String] = []
        for expectation in expectations {
            guard names.contains(expectation.name) else {
                throw CommandFailure(
                    "there is no rule named \"\(expectation.name)\"", code: .usage)
            }
            let count = lines[expectation.name]?.matches.count ?? 0
            if !expectation.holds(for: count) {
                failures.append("expected \(expectation.text), but it would match \(count)")
            }
        }
        if !failures.isEmpty { throw CommandFailure(failures.joined(separator: "\n")) }
    }
}

/// The number of exchanges that a rule is expected to match: `NAME>=COUNT`.
struct RuleExpectation {
    let text: String
    let name: String
    private let range: ClosedRange<Int>

    init(_ text: String) throws {
        self.text = text
        for sign in [">=", "<=", "="] {
            guard let place = text.range(of: sign, options: .backwards),
                let count = Int(text[place.upperBound...]), count >= 0
            else { continue }
            name = String(text[..<place.lowerBound])
            range = sign == ">=" ? count...Int.max : sign == "<=" ? 0...count : count...count
            return
        }
        throw CommandFailure("--expect takes NAME>=COUNT, NAME<=COUNT or NAME=COUNT", code: .usage)
    }

    func holds(for count: Int) -> Bool { range.contains(count) }
}
