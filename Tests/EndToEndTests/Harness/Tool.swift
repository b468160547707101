import Foundation
import ProxydTestSupport

/// Finds and runs programs: the ones under test beside the test bundle, the others on PATH.
enum Tool {
    struct Outcome {
        let status: Int32
        let output: Data
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A program under test.
    static func built(_ name: String) throws -> String { try BuiltProgram.path(name) }

    /// Where a program lies on PATH; nil where it is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return (path + ":/usr/sbin:/sbin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end and returns what it printed. `input` is given on standard input.
    /// A program that takes longer than this number of seconds is killed, and that is an error.
    @discardableResult
    static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        directory: String? = nil, input: Data? = nil, seconds: Double = 600
    ) throws -> Outcome {
        guard let path = program.hasPrefix("/") ? program : find(program) else {
            throw Failure(description: "\(program) is not installed")
        }
        // Files, not pipes: whatever the program prints, it can never block on us.
        let scratch = try ScratchFolder()
        let manager = FileManager.default
        let output = scratch.path + "/out", errors = scratch.path + "/err"
        for file in [output, errors] { _ = manager.createFile(atPath: file, contents: nil) }
        let given = scratch.path + "/in"
        try (input ?? Data()).write(to: URL(fileURLWithPath: given))
        let handles = (
            try FileHandle(forReadingFrom: URL(fileURLWithPath: given)),
            try FileHandle(forWritingTo: URL(fileURLWithPath: output)),
            try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        )
        let process = try ChildProcess(
            path, arguments, environment: cleanEnvironment(adding: environment),
            directory: directory,
            streams: ChildProcess.Streams(
                input: handles.0.fileDescriptor, output: handles.1.fileDescriptor,
                errors: handles.2.fileDescriptor))
        let end = Result { try process.wait(seconds: seconds) }
        withExtendedLifetime(handles) {}
        let said = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self)
        do {
            let printed = try Data(contentsOf: URL(fileURLWithPath: output))
            return Outcome(status: try end.get(), output: printed, errors: said)
        } catch let failure as Failure {
            throw Failure(description: "\(failure); it said: \(said.suffix(4_000))")
        }
    }

    /// The environment without any proxy settings.
    static func cleanEnvironment(adding more: [String: String]) -> [String: String] {
        var all = ProcessInfo.processInfo.environment
        for key in all.keys where key.lowercased().hasSuffix("_proxy") { all[key] = nil }
        for (key, value) in more { all[key] = value }
        return all
    }
}
