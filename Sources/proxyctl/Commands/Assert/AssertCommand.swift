internal import ArgumentParser
internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydFilter

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
            "The exchanges to look at, instead of those of the file's scope.",
            valueName: "filter"))
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
        } catch let failure as CommandFailure {
            try outputs.write(failure: failure.message ?? "it has mistakes", of: assertions)
            throw failure
        }
        if !holds { throw CommandFailure(nil) }
    }

    /// Writes all reports.
    /// - Returns: Whether everything that is expected holds.
    /// - Throws: if that could not be checked.
    private func check(_ file: AssertionInput, _ outputs: AssertionOutputs) throws -> Bool {
        var run = AssertionRunner(file, isUpdating: update)
        let report: AssertionReport
        let reader: any ExchangeReading
        if command.isEmpty {
            let store = try SettledStore(reading, global)
            reader = store.reader
            run.note(gaps: store.gaps)
            report = try run.report(reader)
            try finish(report, reader, outputs)
        } else {
            let own = try AssertedCommand(command)
            try own.run(sparesOutput: tap || json)
            run.command = own.result
            run.note(gaps: own.gaps)
            reader = try own.reader()
            report = try run.report(reader)
            try finish(report, reader, outputs)
        }
        return report.holds
    }

    private func finish(
        _ report: AssertionReport, _ reader: any ExchangeReading, _ outputs: AssertionOutputs
    ) throws {
        try outputs.write(report, reader)
        let output = Report()
        if tap {
            output.exactly(TAPReport.bytes(report))
        } else if json {
            output.json(AssertionJSON.value(report))
        } else {
            for line in AssertionText.lines(report) { output.whole(line) }
        }
    }
}
