internal import ProxydAssertions
internal import ProxydCaptureModel

/// Checks everything that an assertion file expects.
struct AssertionRunner {
    private let input: AssertionInput
    private let isUpdating: Bool
    /// What became of the command, if there was one.
    var command: AssertionResult?
    /// Whether everything that happened is recorded.
    var recording = AssertionResult(kind: .recording, name: "everything is recorded")

    init(_ input: AssertionInput, isUpdating: Bool) {
        self.input = input
        self.isUpdating = isUpdating
    }

    /// Notes what keeps the record from being complete.
    mutating func note(gaps: [String]) {
        recording.problems += gaps.map { AssertionProblem($0) }
    }

    func report(_ reader: any ExchangeReading) throws -> AssertionReport {
        let run = AssertionRun(reader, scope: input.scope)
        var results = [command, recording].compactMap { $0 }
        results += try StoreAccess.attempt { () throws(StoreError) in
            var checks = [try run.scopeResult()]
            for expectation in input.assertions.expectations {
                checks.append(try run.result(of: expectation))
            }
            return checks
        }
        for golden in input.assertions.goldens {
            let check = try StoreAccess.attempt { () throws(StoreError) in
                try GoldenCheck(golden, run)
            }
            results.append(try result(check, golden))
        }
        // Reports have a case for each entry of the file, and others only if something is wrong.
        results.removeAll { $0.holds && $0.kind != .expect && $0.kind != .golden }
        return AssertionReport(file: input.path, results: results)
    }

    /// What a command that failed did is no model for others.
    private var mayWrite: Bool { isUpdating && recording.holds && command?.holds ?? true }

    private func result(
        _ check: GoldenCheck, _ golden: GoldenExpectation
    ) throws -> AssertionResult {
        guard mayWrite else { return try input.compared(check, golden) }
        if let bytes = check.contents { try input.write(bytes, to: golden) }
        return check.written()
    }
}
