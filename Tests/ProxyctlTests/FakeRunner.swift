@testable import proxyctl
import Synchronization

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
