internal import ProxydPresentation
internal import FoundationEssentials
internal import ProxydRules
internal import ProxydStoreAnswers

/// Prints the result of a test of rules.
struct RuleTestReport {
    private let counts: RuleTestCounts

    init(_ counts: RuleTestCounts) { self.counts = counts }

    func printText() {
        guard !counts.names.isEmpty else { return Report.warn("no rule is switched on") }
        var table = TextTable([
            TextTable.Column(title: "RULE"), TextTable.Column(title: "WOULD MATCH"),
            TextTable.Column(title: "WHAT IT WOULD DO"), TextTable.Column(title: "EXCHANGES"),
        ])
        for name in counts.names {
            let line = counts.line(name)
            let outcomes = line.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let span = line.first.map { first in
                line.last == first ? first : "first \(first), last \(line.last ?? first)"
            }
            table.append([
                StyledText(name), StyledText("\(line.matches.count) of \(counts.exchangeCount)"),
                StyledText(outcomes.isEmpty ? "never matches" : outcomes),
                StyledText(span ?? "-", .dim),
            ])
        }
        for line in table.lines() { Report().line(line) }
        for name in counts.names {
            guard let miss = counts.miss(name) else { continue }
            let reason = miss.text(showsValues: true)
            Report().wrapped(StyledText("\(name) never matches: \(reason)"))
        }
    }

    func printJSON() {
        for line in counts.json(showsValues: true) { Report().json(line) }
    }

    /// - Throws: If a rule did not match as often as expected.
    func check(_ expectations: [RuleExpectation]) throws {
        var failures: [String] = []
        for expectation in expectations {
            guard counts.names.contains(expectation.name) else {
                throw CommandFailure(
                    "there is no rule named \"\(expectation.name)\"", code: .usage)
            }
            let count = counts.line(expectation.name).matches.count
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
            guard let place = text.ranges(of: sign).last,
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
