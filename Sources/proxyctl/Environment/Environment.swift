internal import Foundation

/// Everything around a command that is not its arguments, so that tests can bring their own.
struct Environment: Sendable {
    /// Environment variables.
    var variables: [String: String]
    /// Standard output.
    var output: any ByteSink
    /// Standard error.
    var errors: any ByteSink
    /// Whether standard output is a terminal.
    var isTerminal: Bool
    /// The terminal's width in columns; nil where lines may be as long as they are.
    var columnCount: Int?
    /// The terminal's height in rows; nil where there is no terminal.
    var rowCount: Int?
    /// The width of the terminal on standard error, where progress is shown; nil where it is none.
    var errorColumnCount: Int?
    /// Standard input's descriptor.
    var inputDescriptor: Int32 = 0
    /// What stands in front of system paths: empty but in tests.
    var systemRoot = ""
    /// The effective user.
    var userID: UInt32
    /// Runs other programs.
    var runner: any ProgramRunner

    /// The command that starts the user's editor; nil where none is named.
    var editor: String? {
        ["VISUAL", "EDITOR"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }

    /// What commands use: the process's own environment, unless a test set others.
    @TaskLocal static var current = Environment.ofProcess()

    /// Whether output is coloured: on a terminal, unless `NO_COLOR` is set (no-color.org).
    var usesColour: Bool {
        isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// The user's home directory; nil where none is known.
    var home: String? {
        variables["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func ofProcess() -> Environment {
        let size = TerminalSize.ofStandardOutput()
        let variables = ProcessInfo.processInfo.environment
        let columns = variables["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        return Environment(
            variables: variables, output: DescriptorSink(descriptor: 1),
            errors: DescriptorSink(descriptor: 2), isTerminal: size != nil,
            columnCount: size.map { columns ?? $0.columnCount }, rowCount: size?.rowCount,
            errorColumnCount: TerminalSize.ofStandardError()?.columnCount,
            userID: geteuid(), runner: SystemProgramRunner())
    }
}
