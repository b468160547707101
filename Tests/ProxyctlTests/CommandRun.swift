import Foundation
@testable import proxyctl

/// One run of the program: its output, its errors, its exit code.
struct CommandRun: Sendable {
    let code: Int32
    let bytes: [UInt8]
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    init(code: Int32, bytes: [UInt8], errors: String) {
        (self.code, self.bytes, self.errors) = (code, bytes, errors)
    }

    /// Runs `proxyctl` with arguments; on a terminal with this number of columns if given.
    init(
        _ arguments: [String], columns: Int? = nil, environment: [String: String] = [:],
        runner: any ProgramRunner = FakeRunner()
    ) {
        let (output, errors) = (MemorySink(), MemorySink())
        let around = Environment(
            variables: environment, output: output, errors: errors,
            isTerminal: columns != nil, columnCount: columns, rowCount: columns.map { _ in 24 },
            userID: 1_000, runner: runner)
        code = Program.run(arguments, around)
        bytes = output.all
        self.errors = errors.text
    }

    /// Runs a command that waits for tasks, on a thread of its own: on one of the few threads that
    /// run tasks it would wait for itself.
    static func apart(_ arguments: [String]) async -> CommandRun {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: CommandRun(arguments)) }
        }
    }
}
