internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydOperations
internal import ProxydSystem
internal import ArgumentParser
internal import FoundationEssentials

/// `proxyctl rule test`: shows what rules would have done to captured exchanges.
struct RuleTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test rules on captured exchanges; nothing is sent.",
        discussion: """
            Reports how many exchanges each rule would have matched, what it would have done, \
            which rule stops another, and, if a rule never matches, why and what came nearest. \
            --explain shows for one exchange which part of a filter failed, and on what value. \
            --show compares the messages of one exchange with what the rules would have made of \
            them. If a body was not recorded completely, the result is undecided. With --expect, \
            the exit status is 1 if a rule's count does not fit.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: ArgumentHelp("The exchanges to test. (default: all)", valueName: "filter"))
    var filter: [String] = []
    @Option(
        help: ArgumentHelp("A rules file to test instead of the rules in force.", valueName: "file")
    )
    var file: String?
    @Option(help: ArgumentHelp("Test only this rule.", valueName: "name"))
    var rule: String?
    @Option(help: ArgumentHelp("Explain the result for one exchange.", valueName: "id"))
    var explain: ExchangeArgument?
    @Option(
        help: ArgumentHelp(
            "Show what the rules would have changed in one exchange; with --rule, that rule alone.",
            valueName: "id"))
    var show: ExchangeArgument?
    @Option(
        help: ArgumentHelp(
            "A required count: 'NAME>=COUNT', also = and <=; may be repeated.", valueName: "test"))
    var expect: [String] = []
    @Flag(help: "One JSON object per line.")
    var json = false

    private static let bodyByteCountMax = 16 << 20

    func validate() throws {
        guard explain == nil || show == nil else {
            throw ValidationError("--explain and --show cannot be used together")
        }
    }

    func run() throws {
        let expectations = try expect.map(RuleExpectation.init)
        let rules = try readRules()
        let reader: any ExchangeReading = try StoreOpener.reader(global.dataDirectory())
        if let explain { return try explainOne(explain, rules, reader) }
        if let show { return try showOne(show, rules, reader) }
        var counts = RuleTestCounts(rules, only: rule, now: SystemClock.wallNow())
        let mocks = TrialMocks(reader, nowNs: SystemClock.wallNow())
        let trial = RuleTrial(rules, mocks: mocks.served)
        let parsed = try FilterArgument.parse(filter.joined(separator: " "))
        var ids: [ExchangeID] = []
        try reader.forEachRow(matching: parsed, .oldest) {
            ids.append($0.id)
            return true
        }
        for id in ids {
            let found = try reader.exchange(id, bodyByteCountMax: RuleTestCommand.bodyByteCountMax)
            guard let found else { continue }
            counts.add(trial.results(for: found), to: found, named: try reader.name(of: id))
        }
        let report = RuleTestReport(counts: counts)
        if json { report.printJSON() } else { report.printText() }
        try report.check(expectations)
    }

    private func readRules() throws -> RuleSet {
        let path: String
        let text: String
        if let file {
            path = file
            do throws(ConfigurationValueError) {
                text = try ConfigurationFile.contents(of: file)
            } catch {
                throw CommandFailure("\(file): \(error.message)", code: .configuration)
            }
        } else {
            let access = try options.access(global)
            (path, text) = (access.path, try access.readInForce())
        }
        let rules = try RulesAccess.parse(text, path)
        if let rule, !rules.rules.contains(where: { $0.name == rule }) {
            throw CommandFailure("there is no rule named \"\(rule)\"")
        }
        return rules
    }

    // MARK: One exchange

    private func exchange(
        _ name: ExchangeArgument, _ reader: any ExchangeReading
    ) throws -> Exchange {
        let id = try name.id(in: reader)
        let exchange = try reader.exchange(id, bodyByteCountMax: RuleTestCommand.bodyByteCountMax)
        guard let exchange else { throw CommandFailure("there is no exchange \(name)") }
        return exchange
    }

    private func showOne(
        _ name: ExchangeArgument, _ rules: RuleSet, _ reader: any ExchangeReading
    ) throws {
        let exchange = try exchange(name, reader)
        let mocks = TrialMocks(reader, nowNs: SystemClock.wallNow())
        let trial = RuleTrial(rule.map(rules.only) ?? rules, mocks: mocks.served)
        let outcome = trial.outcome(for: exchange)
        if json {
            Report().json(try TrialChanges(exchange, outcome).json)
        } else {
            for line in try TrialChanges(exchange, outcome).lines { Report().line(line) }
        }
    }

    private func explainOne(
        _ name: ExchangeArgument, _ rules: RuleSet, _ reader: any ExchangeReading
    ) throws {
        let exchange = try exchange(name, reader)
        let mocks = TrialMocks(reader, nowNs: SystemClock.wallNow())
        let trial = RuleTrial(rules, mocks: mocks.served)
        let results = Dictionary(grouping: trial.results(for: exchange), by: \.rule)
        for one in rules.rules where rule == nil || one.name == rule {
            let found = results[one.name] ?? []
            let tests = trial.tests(of: one, for: exchange)
            if json {
                Report().json(RuleExplanation.value(one, found, tests))
            } else {
                for line in RuleExplanation.lines(one, found, tests) {
                    Report().line(StyledText(line))
                }
            }
        }
    }
}

struct RuleTestReport {
    let counts: RuleTestCounts

    func printText() {
        guard !counts.names.isEmpty else { return Report.warn("no rule is switched on") }
        var table = TextTable(titles: ["RULE", "WOULD MATCH", "WHAT IT WOULD DO", "EXCHANGES"])
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
                throw CommandFailure("there is no rule named \"\(expectation.name)\"", code: .usage)
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
