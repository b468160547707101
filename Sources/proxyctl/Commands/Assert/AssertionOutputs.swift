internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydExchangeContent

/// The files that an assertion writes besides its report.
struct AssertionOutputs {
    private let junit: AtomicFile?
    private let failed: AtomicFile?

    /// Creates the files, before reading a store changes the user of the process.
    /// - Parameter file: The assertion file.
    init(junit: String?, keepFailed: String?, of file: String) throws {
        self.junit = try junit.map { try AtomicFile($0, keepsAccess: true) }
        do {
            failed = try keepFailed.map { try AtomicFile($0) }
        } catch {
            let message = (error as? CommandFailure)?.message ?? "\(error)"
            try AssertionOutputs.write(message, of: file, to: self.junit)
            throw error
        }
    }

    /// Writes and names the files. That of the failed exchanges has no entries if none failed.
    func write(_ report: AssertionReport, _ reader: any ExchangeReading) throws {
        if let junit {
            junit.sink.write(JUnitReport.bytes(report))
            try junit.commit()
        }
        try writeFailed(report, reader)
    }

    /// Writes a report that says why nothing could be checked, so that none of an earlier run is
    /// taken for it; not if the report on the checks is already written.
    func write(failure message: String, of file: String) throws {
        guard junit?.isCommitted == false else { return }
        try AssertionOutputs.write(message, of: file, to: junit)
    }

    private static func write(
        _ message: String, of file: String, to junit: AtomicFile?
    ) throws {
        guard let junit else { return }
        var result = AssertionResult(kind: .command, name: "the checks run")
        result.problems.append(AssertionProblem(message))
        junit.sink.write(JUnitReport.bytes(AssertionReport(file: file, results: [result])))
        try junit.commit()
    }

    private func writeFailed(_ report: AssertionReport, _ reader: any ExchangeReading) throws {
        guard let failed else { return }
        let run = ExportRun(
            reader: reader, filter: .everything, ids: report.failedExchanges, sink: failed.sink,
            redactor: ExchangeRedactor())
        _ = try run.write(.har, { false }, progress: { _, _ in })
        try failed.commit()
    }
}
