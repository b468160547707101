/// The result of another program.
struct ProgramResult: Sendable, Equatable {
    /// Its exit code, or 128 plus the number of the signal that ended it.
    var exitCode: Int32
    /// Its standard output.
    var output: [UInt8]
    /// Its standard error.
    var errors: [UInt8]

    /// Standard output as text.
    var outputText: String { String(decoding: output, as: UTF8.self) }

    /// The last non-empty line of standard error.
    var lastErrorLine: String {
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last.map(String.init) ?? "exit code \(exitCode)"
    }
}

/// Runs other programs with argument arrays, never through a shell.
protocol ProgramRunner: Sendable {
    /// The path of a program in the search path, or nil if it is not installed.
    func find(_ name: String) -> String?
    /// Runs a program to its end; returns nil if it cannot be started or does not end in time.
    func run(_ path: String, _ arguments: [String], environment: [String: String]?)
        -> ProgramResult?
}

extension ProgramRunner {
    /// Runs a program in the current environment.
    func run(_ path: String, _ arguments: [String]) -> ProgramResult? {
        run(path, arguments, environment: nil)
    }
}
