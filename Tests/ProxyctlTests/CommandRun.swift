import Foundation
import Synchronization

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

/// Programs that exist only in a test: what each answers to which arguments.
final class FakeRunner: ProgramRunner {
    typealias Answer = @Sendable ([String]) -> ProgramResult?

    private let programs: [String: Answer]
    private let calls = Mutex<[[String]]>([])

    init(_ programs: [String: Answer] = [:]) { self.programs = programs }

    /// Every call: the program's name, then its arguments.
    var seen: [[String]] { calls.withLock { $0 } }

    func find(_ name: String) -> String? {
        programs[name] == nil ? nil : "/fake/bin/\(name)"
    }

    func run(
        _ path: String, _ arguments: [String], environment: [String: String]?
    ) -> ProgramResult? {
        let name = String(path.split(separator: "/").last ?? "")
        calls.withLock { $0.append([name] + arguments) }
        return programs[name].flatMap { $0(arguments) }
    }

    static func says(_ text: String, exitCode: Int32 = 0) -> ProgramResult {
        ProgramResult(exitCode: exitCode, output: Array(text.utf8), errors: [])
    }

    static func fails(_ text: String) -> ProgramResult {
        ProgramResult(exitCode: 1, output: [], errors: Array(text.utf8))
    }
}

/// Output that a test looks at.
final class MemorySink: ByteSink {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { bytes.withLock { $0 } }
    var text: String { String(decoding: all, as: UTF8.self) }
    var failure: Int32? { nil }

    func write(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }
    func flush() {}
}
