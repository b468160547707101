internal import ProxydAssertions
internal import ProxydCaptureModel

/// Checks everything that an assertion file expects.
struct AssertionRunner {
    private let input: AssertionInput
    private let isUpdating: Bool
    /// What became of the command, if there was one.
    var command: AssertionResult?

    init(_ input: AssertionInput, isUpdating: Bool) {
        self.input = input
        self.isUpdating = isUpdating
    }

    func report(_ reader: any ExchangeReading) throws -> AssertionReport {
        let run = AssertionRun(reader, scope: input.scope)
        var results = command.map { [$0] } ?? []
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
        results.removeAll { $0.holds && ($0.kind == .scope || $0.kind == .command) }
        return AssertionReport(file: input.path, results: results)
    }

    /// What a command that failed did is no model for others.
    private var mayWrite: Bool { isUpdating && command?.holds ?? true }

    private func result(
        _ check: GoldenCheck, _ golden: GoldenExpectation
    ) throws -> AssertionResult {
        guard mayWrite else { return try input.compared(check, golden) }
        if let octets = check.contents { try input.write(octets, to: golden) }
        return check.written()
    }
}
