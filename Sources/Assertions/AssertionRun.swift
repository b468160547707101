public import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydExchangeContent
public import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// Checks what an assertion file expects of a store, without writing anything.
public struct AssertionRun {
    /// Bodies up to this size are compared, in bytes.
    static let bodyByteCountMax = 16 << 20

    let reader: any ExchangeReading
    let scope: Filter

    public init(_ reader: any ExchangeReading, scope: Filter) {
        self.reader = reader
        self.scope = scope
    }

    /// Checks that there is something to look at: a file that checks nothing must not succeed.
    public func scopeResult() throws(StoreError) -> AssertionResult {
        var result = AssertionResult(kind: .scope, name: "the scope has exchanges")
        try reader.forEachRow(matching: scope, .oldest) { _ in
            result.matchedCount = 1
            return false
        }
        if result.matchedCount == 0 {
            let named = scope.text.isEmpty ? "the store" : "the scope \(scope.text)"
            result.problems.append(
                AssertionProblem("\(named) has no exchanges: did the client use the proxy?"))
        }
        return result
    }

    public func result(of expectation: Expectation) throws(StoreError) -> AssertionResult {
        var check = ExpectationCheck(expectation, self)
        return try check.result()
    }

    /// Passes the rows of the scope that match all filters to the closure until it returns false.
    func forEachRow(
        matching filters: [Filter], _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reader.forEachRow(matching: .all([scope] + filters), .oldest, body)
    }
}

struct ExpectationCheck {
    private let expectation: Expectation
    private let run: AssertionRun
    private var found: AssertionResult
    private var durations: [Int64] = []
    /// How many exchanges have not ended.
    private var openCount = 0
    private var matched = AssertionProblem("")
    private var jsonProblems: [String: AssertionProblem] = [:]
    /// The keys of `jsonProblems` in the order in which they occurred.
    private var jsonMessages: [String] = []
    private static let jsonMessageCountMax = 20

    init(_ expectation: Expectation, _ run: AssertionRun) {
        self.expectation = expectation
        self.run = run
        found = AssertionResult(kind: .expect, name: expectation.name, line: expectation.line)
    }

    mutating func result() throws(StoreError) -> AssertionResult {
        try look()
        try checkCount()
        for part in expectation.every { try check(part) }
        try checkDurations()
        found.problems += jsonMessages.compactMap { jsonProblems[$0] }
        try checkSequence()
        return found
    }

    /// Reads all exchanges once.
    private mutating func look() throws(StoreError) {
        let filters = [expectation.when]
        try run.forEachRow(matching: filters) { (row) throws(StoreError) in
            found.matchedCount += 1
            matched.add(row)
            if let duration = row.durationNs {
                found.slowestNs = max(found.slowestNs, duration)
                if expectation.p95Milliseconds != nil { durations.append(duration) }
            } else {
                openCount += 1
            }
            if !expectation.json.isEmpty { try checkJSON(row) }
            return true
        }
    }

    private mutating func checkCount() throws(StoreError) {
        let count = found.matchedCount
        guard !expectation.count.contains(count) else { return }
        let when = expectation.when.text
        let asked = when.isEmpty ? "" : " of \(when)"
        let number = count == 0 ? "none" : String(count)
        var problem = AssertionProblem("expected \(expectation.count)\(asked), found \(number)")
        problem.part = when.isEmpty ? nil : when
        problem.rows = matched.rows
        problem.rowCount = matched.rowCount
        if count == 0, let part = try emptyPart() {
            problem.part = part
            problem.details = ["nothing in the scope matches \(part)"]
        }
        found.problems.append(problem)
    }

    /// The first part of the filter that nothing matches, if there are others.
    private func emptyPart() throws(StoreError) -> String? {
        guard expectation.whenParts.count > 1 else { return nil }
        for part in expectation.whenParts {
            var isEmpty = true
            try run.forEachRow(matching: [part]) { _ in
                isEmpty = false
                return false
            }
            if isEmpty { return part.text }
        }
        return nil
    }

    private mutating func check(_ part: Filter) throws(StoreError) {
        var problem = AssertionProblem("does not match \(part.text)", part: part.text)
        try run.forEachRow(matching: [expectation.when, part.negated]) { row in
            problem.add(row)
            return true
        }
        if problem.rowCount > 0 { found.problems.append(problem) }
    }

    private mutating func checkDurations() throws(StoreError) {
        guard let limit = expectation.p95Milliseconds, found.matchedCount > 0 else { return }
        guard !durations.isEmpty else {
            found.problems.append(
                AssertionProblem("none has ended, so there is no 95th percentile"))
            return
        }
        durations.sort()
        // The nearest-rank method: at least 95 of 100 took no longer. What has not ended takes
        // longer than everything else.
        let rank = max(0, ((durations.count + openCount) * 95 + 99) / 100 - 1)
        let percentile = rank < durations.count ? durations[rank] : nil
        let limitNs = min(limit * 1e6, 9e18)
        if let percentile, Double(percentile) <= limitNs { return }
        let words =
            percentile.map { "is \(Quantity.duration($0))" }
            ?? "has not ended with \(openCount) that still run"
        var problem = AssertionProblem(
            "the 95th percentile \(words), more than \(limit.tomlText) ms", part: "p95_ms")
        try run.forEachRow(matching: [expectation.when]) { row in
            if row.durationNs.map({ Double($0) > limitNs }) ?? true { problem.add(row) }
            return true
        }
        found.problems.append(problem)
    }

    private mutating func checkJSON(_ row: ExchangeRow) throws(StoreError) {
        let exchange = try run.reader.exchange(
            row.id, bodyByteCountMax: AssertionRun.bodyByteCountMax)
        guard let response = exchange?.response?.delivered else {
            return note("there is no response", row)
        }
        guard !response.body.isTruncated else {
            return note("the response is longer than what is stored or compared", row)
        }
        guard let document = BodyContent(response.body, response.head.fields).json else {
            return note("the response is not JSON", row)
        }
        var shown: JSONValue??
        for check in expectation.json {
            // Most exchanges are as expected: secrets are looked for only where they are told.
            guard check.problem(in: document, shown: nil) != nil else { continue }
            let redacted = shown ?? exchange.flatMap { ExpectationCheck.redacted(row, $0) }
            shown = .some(redacted)
            if let problem = check.problem(in: document, shown: redacted) { note(problem, row) }
        }
    }

    /// The response's document without secrets.
    private static func redacted(_ row: ExchangeRow, _ exchange: Exchange) -> JSONValue? {
        let captured = CapturedExchange(row: row, exchange: exchange)
        let response = ExchangeRedactor().redacted(captured).exchange.response
        return response.flatMap { BodyContent($0.body, $0.head.fields).json }
    }

    private mutating func note(_ message: String, _ row: ExchangeRow) {
        var message = message
        if jsonProblems[message] == nil {
            if jsonMessages.count >= ExpectationCheck.jsonMessageCountMax {
                message = "json: other values"
            }
            if jsonProblems[message] == nil { jsonMessages.append(message) }
        }
        jsonProblems[message, default: AssertionProblem(message, part: "json")].add(row)
    }

    private mutating func checkSequence() throws(StoreError) {
        var last: ExchangeRow?
        for (index, filter) in expectation.sequence.enumerated() {
            var next: ExchangeRow?
            try run.forEachRow(matching: [expectation.when, filter]) { row in
                guard last.map({ $0.position < row.position }) ?? true else { return true }
                next = row
                return false
            }
            guard let next else {
                let place = last.map { "after exchange \($0.idText)" } ?? "at all"
                var problem = AssertionProblem(
                    "step \(index + 1) of the sequence, \(filter.text), did not happen \(place)",
                    part: filter.text)
                if let last { problem.add(last) }
                found.problems.append(problem)
                return
            }
            last = next
        }
    }
}

/// The result for an expectation, a golden file, or the run as a whole.
public struct AssertionResult: Sendable {
    public enum Kind: String, Sendable {
        case command
        /// Whether everything that happened is recorded.
        case recording
        /// Whether the scope has exchanges.
        case scope
        case expect
        case golden
    }

    public let kind: Kind
    public let name: String
    /// Its line in the assertion file; nil for the command and the scope.
    public var line: Int?
    public var matchedCount = 0
    public var slowestNs: Int64 = 0
    /// Empty if it holds.
    public var problems: [AssertionProblem] = []
    /// A note on a result that holds, such as that a file was written.
    public var remark: String?

    public init(kind: Kind, name: String, line: Int? = nil) {
        self.kind = kind
        self.name = name
        self.line = line
    }

    public var holds: Bool { problems.isEmpty }
}

/// Something that is wrong, and the exchanges that show it.
public struct AssertionProblem: Sendable {
    /// The maximum number of exchanges that reports name.
    public static let namedCountMax = 10
    /// The maximum number of exchanges that are remembered for an export.
    static let keptCountMax = 1_000

    /// One line for people.
    public let message: String
    /// The part of the filter that failed, as written; nil if the problem is not about a filter.
    public var part: String?
    /// At most `keptCountMax`.
    public var rows: [ExchangeRow] = []
    /// How many exchanges there are in all.
    public var rowCount = 0
    public var details: [String] = []

    public init(_ message: String, part: String? = nil) {
        self.message = message
        self.part = part
    }

    mutating func add(_ row: ExchangeRow) {
        rowCount += 1
        if rows.count < AssertionProblem.keptCountMax { rows.append(row) }
    }
}
