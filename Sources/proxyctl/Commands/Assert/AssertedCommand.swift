internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydEventLoops

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

    func reader() throws -> any ExchangeReading { try StoreAccess.reader(daemon.directory) }
}
