package import ProxydCaptureModel
internal import ProxydFilter

/// Compares exchanges with a golden file, or makes its contents.
package struct GoldenCheck {
    /// The maximum number of exchanges in a golden file.
    static let entryCountMax = 10_000
    /// The maximum size of all their bodies in bytes: all of them are in memory.
    static let byteCountMax = GoldenText.byteCountMax
    /// The maximum number of differences that are told.
    private static let differenceCountMax = 20

    private let golden: GoldenExpectation
    private var entries: [GoldenEntry] = []
    private var rows: [ExchangeRow] = []
    private var result: AssertionResult
    private var byteCount = 0
    private var isTooLong = false

    /// Reads the exchanges that a golden file is about.
    package init(_ golden: GoldenExpectation, _ run: AssertionRun) throws(StoreError) {
        self.golden = golden
        result = AssertionResult(kind: .golden, name: golden.name, line: golden.line)
        try run.forEachRow(matching: [golden.when]) { (row) throws(StoreError) in
            guard entries.count < GoldenCheck.entryCountMax,
                byteCount < GoldenCheck.byteCountMax
            else {
                isTooLong = true
                return false
            }
            guard
                let exchange = try run.reader.exchange(
                    row.id, bodyByteCountMax: AssertionRun.bodyByteCountMax),
                let entry = GoldenEntry(CapturedExchange(row: row, exchange: exchange), golden)
            else { return true }
            byteCount += entry.bodyByteCount
            entries.append(entry)
            rows.append(row)
            result.slowestNs = max(result.slowestNs, row.durationNs ?? 0)
            return true
        }
        result.matchedCount = entries.count
        if isTooLong {
            result.problems.append(
                AssertionProblem("more exchanges match than a golden file can have"))
        } else if entries.isEmpty {
            result.problems.append(
                AssertionProblem("no exchange matches", part: golden.when.text))
        }
    }

    /// What the golden file should contain; nil if there is nothing to write.
    package var contents: [UInt8]? {
        result.holds ? GoldenText.bytes(of: entries, golden.match) : nil
    }

    /// The result of writing the contents.
    package func written() -> AssertionResult {
        var result = result
        if result.holds { result.remark = "\(golden.file) was written" }
        return result
    }

    /// The result of comparing with a file; nil if it does not exist.
    package func compared(
        to bytes: [UInt8]?
    ) throws(GoldenText.Mistake) -> AssertionResult {
        var result = result
        guard let bytes else {
            result.problems.append(
                AssertionProblem("\(golden.file) does not exist: make it with --update"))
            return result
        }
        let wanted = try GoldenText.entries(in: bytes, golden)
        guard result.holds else { return result }
        let differences = GoldenComparison(entries, to: wanted, golden.match).differences
        for difference in differences.prefix(GoldenCheck.differenceCountMax) {
            var problem = AssertionProblem(difference.message)
            if let index = difference.index { problem.add(rows[index]) }
            problem.details = difference.lines
            result.problems.append(problem)
        }
        if differences.count > GoldenCheck.differenceCountMax {
            let rest = differences.count - GoldenCheck.differenceCountMax
            result.problems.append(AssertionProblem("\(rest) more differences"))
        }
        return result
    }
}
