internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydEventLoops
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydSystem
internal import ArgumentParser
internal import FoundationEssentials

/// `proxyctl assert`: checks what clients did.
struct AssertCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "assert",
        abstract: "Check what an assertion file expects of recorded exchanges.",
        discussion: """
            With -- COMMAND, a proxyd of its own is started on a free port, the command runs with \
            an environment that makes it use and trust this proxyd, and what it did is checked. \
            The store is removed afterwards. With --tap or --json, what the command prints goes \
            to standard error.

            Exit codes: 0 everything holds, 1 something does not or the command failed, 64 wrong \
            usage, 65 the file has mistakes, 66 there is no store to read. See docs/CI.md.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ArgumentHelp("The assertion file.", valueName: "file"))
    var assertions: String
    @Option(
        help: ArgumentHelp(
            "The exchanges to look at, instead of those of the file's scope.", valueName: "filter"))
    var scope: String?
    @Option(help: ArgumentHelp("Also write a report as JUnit's XML.", valueName: "file"))
    var junit: String?
    @Flag(help: "Print the report as TAP 14.")
    var tap = false
    @Flag(help: "Print the report as a JSON object.")
    var json = false
    @Option(
        name: .customLong("keep-failed"),
        help: ArgumentHelp(
            "Write the exchanges that failed as HAR, without credentials.", valueName: "file"))
    var keepFailed: String?
    @Flag(help: "Write the golden files instead of comparing with them.")
    var update = false
    @Argument(parsing: .postTerminator, help: "A command to run and check.")
    var command: [String] = []

    func validate() throws {
        guard !tap || !json else { throw ValidationError("--tap and --json cannot be combined") }
        guard !command.isEmpty else { return }
        guard !reading.namesFile, global.dataDirectoryPath == nil, global.storeURI == nil else {
            throw ValidationError(
                "a command has a store of its own: leave out --data-dir, --store and --file")
        }
    }

    func run() throws {
        // The report of an earlier run must not be taken for this one's, whatever happens.
        let outputs = try AssertionOutputs(junit: junit, keepFailed: keepFailed, of: assertions)
        let holds: Bool
        do {
            holds = try check(AssertionInput(assertions, scope: scope), outputs)
        } catch {
            guard let failure = CommandFailure(explaining: error) else { throw error }
            try outputs.write(failure: failure.message ?? "it has mistakes", of: assertions)
            throw failure
        }
        if !holds { throw CommandFailure(nil) }
    }

    /// Writes all reports.
    /// - Returns: Whether everything that is expected holds.
    /// - Throws: if that could not be checked.
    private func check(_ file: AssertionInput, _ outputs: AssertionOutputs) throws -> Bool {
        var run = AssertionRunner(input: file, isUpdating: update)
        guard !command.isEmpty else {
            let store = try FlushedStore(reading, global)
            run.note(gaps: store.gaps)
            return try finish(run, store.reader, outputs)
        }
        let own = try AssertedCommand(command)
        try own.run(sparesOutput: tap || json)
        run.command = own.result
        run.note(gaps: own.gaps)
        return try finish(run, own.reader(), outputs)
    }

    private func finish(
        _ run: AssertionRunner, _ reader: any ExchangeReading, _ outputs: AssertionOutputs
    ) throws -> Bool {
        let report = try run.report(reader)
        try outputs.write(report, reader)
        let output = Report()
        if tap {
            output.exactly(TAPReport.bytes(report))
        } else if json {
            output.json(AssertionJSON.value(report))
        } else {
            for line in AssertionText.lines(report) { output.whole(line) }
        }
        return report.holds
    }
}

/// A command that runs inside a proxyd of its own, whose store lasts until this object ends.
final class AssertedCommand {
    private let command: [String]
    private let folder: TemporaryFolder
    private let daemon: OwnDaemon
    private var exitCode: Int32 = 0
    /// What keeps the record from being complete.
    private(set) var gaps: [String] = []

    /// Starts the daemon.
    init(_ command: [String]) throws {
        self.command = command
        folder = try TemporaryFolder()
        daemon = try OwnDaemon(nil, in: folder)
    }

    /// Runs the command and ends the daemon, so that everything is recorded.
    func run(sparesOutput: Bool) throws {
        let program = try ProxiedProgram(
            host: daemon.address.ip, port: daemon.address.port, daemon.directory, folder)
        do {
            exitCode = try program.run(command, sparesOutput: sparesOutput)
        } catch let failure as CommandFailure {
            // The exit codes of the command are not those of an assertion.
            throw CommandFailure(failure.message)
        }
        gaps = RecordGaps.ofOwn(daemon.directory)
        let end = daemon.stop()
        if gaps.isEmpty, end != 0 { gaps = ["proxyd ended with status \(end)"] }
        if exitCode != 0 { Report.warn("\(command[0]) ended with status \(exitCode)") }
    }

    /// Whether the command succeeded.
    var result: AssertionResult {
        var result = AssertionResult(kind: .command, name: "the command \(command[0]) succeeds")
        if exitCode != 0 {
            result.problems.append(AssertionProblem("it ended with status \(exitCode)"))
        }
        return result
    }

    func reader() throws -> any ExchangeReading { try StoreOpener.reader(daemon.directory) }
}

/// An assertion file, and the golden files beside it.
struct AssertionInput {
    let path: String
    let assertions: AssertionSet
    /// The exchanges that are checked.
    let scope: Filter

    /// Reads a file; its mistakes are printed, one per line.
    init(_ path: String, scope: String?) throws {
        self.path = path
        let own = try scope.map(FilterArgument.parse)
        do throws(ConfigurationError) {
            assertions = try AssertionInput.read(path)
        } catch {
            for problem in error.problems.dropLast() { AssertionInput.tell(problem) }
            error.problems.last.map(AssertionInput.tell)
            throw CommandFailure(nil, code: .data)
        }
        self.scope = own ?? assertions.scope
    }

    private static func read(_ path: String) throws(ConfigurationError) -> AssertionSet {
        let text: String
        do throws(ConfigurationValueError) {
            text = try ConfigurationFile.contents(of: path)
        } catch {
            throw ConfigurationError(error, of: path)
        }
        return try AssertionFile.read(text, file: path, now: SystemClock.wallNow())
    }

    /// Prints a mistake as `FILE:LINE: what`, for editors to find the place.
    private static func tell(_ problem: ConfigurationProblem) {
        let errors = Environment.current.errors
        errors.write(Array("\(problem)\n".utf8))
        errors.flush()
    }

    // MARK: Golden files

    private func path(of golden: GoldenExpectation) -> String {
        guard !golden.file.hasPrefix("/") else { return golden.file }
        let folder = path.parentFolder
        return folder.isEmpty ? golden.file : "\(folder)/\(golden.file)"
    }

    /// The bytes of a golden file; nil if it does not exist.
    func contents(of golden: GoldenExpectation) throws -> [UInt8]? {
        let path = path(of: golden)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let tooLarge = CommandFailure(
            "\(path): larger than \(GoldenText.byteCountMax) bytes", code: .data)
        return try InputFile.contents(of: path, upTo: GoldenText.byteCountMax, else: tooLarge)
    }

    func compared(_ check: GoldenCheck, _ golden: GoldenExpectation) throws -> AssertionResult {
        let bytes = try contents(of: golden)
        do throws(GoldenText.Mistake) {
            return try check.compared(to: bytes)
        } catch {
            throw CommandFailure("\(path(of: golden)): \(error.message)", code: .data)
        }
    }

    /// Writes a golden file, unless it has these contents already.
    func write(_ bytes: [UInt8], to golden: GoldenExpectation) throws {
        let path = path(of: golden)
        if let before = FileManager.default.contents(atPath: path), [UInt8](before) == bytes {
            return
        }
        let folder = path.parentFolder
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        let file = try AtomicFile(path, keepsAccess: true)
        file.sink.write(bytes)
        try file.commit()
    }
}

/// Checks everything that an assertion file expects.
struct AssertionRunner {
    let input: AssertionInput
    let isUpdating: Bool
    /// The command's result, if there was one.
    var command: AssertionResult?
    var recording = AssertionResult(kind: .recording, name: "everything is recorded")

    /// Records what keeps the record from being complete.
    mutating func note(gaps: [String]) { recording.problems += gaps.map { AssertionProblem($0) } }

    func report(_ reader: any ExchangeReading) throws -> AssertionReport {
        let run = AssertionRun(reader, scope: input.scope)
        var results = [command, recording].compactMap { $0 }
        results.append(try run.scopeResult())
        results += try input.assertions.expectations.map { try run.result(of: $0) }
        results += try input.assertions.goldens.map { try result(GoldenCheck($0, run), $0) }
        // Reports have a case for each entry of the file, and others only if something is wrong.
        results.removeAll { $0.holds && $0.kind != .expect && $0.kind != .golden }
        return AssertionReport(file: input.path, results: results)
    }

    /// The traffic of a command that failed is not a model for others.
    private var mayWrite: Bool { isUpdating && recording.holds && command?.holds ?? true }

    private func result(
        _ check: GoldenCheck, _ golden: GoldenExpectation
    ) throws -> AssertionResult {
        guard mayWrite else { return try input.compared(check, golden) }
        if let bytes = check.contents { try input.write(bytes, to: golden) }
        return check.written()
    }
}

/// The files that an assertion writes besides its report.
struct AssertionOutputs {
    private let junit: AtomicFile?
    private let failed: AtomicFile?

    /// Creates the files, before reading a store changes the user of the process.
    init(junit: String?, keepFailed: String?, of file: String) throws {
        self.junit = try junit.map { try AtomicFile($0, keepsAccess: true) }
        do {
            failed = try keepFailed.map { try AtomicFile($0) }
        } catch {
            try AssertionOutputs.write("\(error)", of: file, to: self.junit)
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

    /// Writes a report that says why nothing could be checked, so that one of an earlier run is not
    /// taken for it; not if the report on the checks is already written.
    func write(failure message: String, of file: String) throws {
        guard junit?.isCommitted == false else { return }
        try AssertionOutputs.write(message, of: file, to: junit)
    }

    private static func write(_ message: String, of file: String, to junit: AtomicFile?) throws {
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
