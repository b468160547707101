/// What another program said.
struct ProgramResult: Sendable, Equatable {
    /// Its exit code; a signal's number and 128 where one ended it.
    var exitCode: Int32
    /// Its standard output.
    var output: [UInt8]
    /// Its standard error.
    var errors: [UInt8]

    /// Standard output as text.
    var outputText: String { String(decoding: output, as: UTF8.self) }

    /// The last line of standard error that says something.
    var lastErrorLine: String {
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last.map(String.init) ?? "exit code \(exitCode)"
    }
}

/// Runs other programs by argument arrays; no shell ever reads them.
protocol ProgramRunner: Sendable {
    /// Where a program is, by the search path; nil where it is not installed.
    func find(_ name: String) -> String?
    /// Runs a program to its end; nil where it cannot be started or does not end in time.
    func run(_ path: String, _ arguments: [String], environment: [String: String]?)
        -> ProgramResult?
}

extension ProgramRunner {
    /// Runs a program in our own environment.
    func run(_ path: String, _ arguments: [String]) -> ProgramResult? {
        run(path, arguments, environment: nil)
    }
}
