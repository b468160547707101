internal import FoundationEssentials
internal import Glibc

/// The environment of a command apart from its arguments, so that tests can replace it.
struct Environment: Sendable {
    /// The environment variables.
    var variables: [String: String]
    /// Standard output.
    var output: any ByteSink
    /// Standard error.
    var errors: any ByteSink
    /// Whether standard output is a terminal.
    var isTerminal: Bool
    /// The terminal's width in columns; nil for no limit.
    var columnCount: Int?
    /// The terminal's height in rows, or nil if there is no terminal.
    var rowCount: Int?
    /// The width of the terminal on standard error, where progress is shown, or nil if it is not
    /// one.
    var errorColumnCount: Int?
    /// The descriptor of standard input.
    var inputDescriptor: Int32 = 0
    /// The prefix of system paths; empty except in tests.
    var systemRoot = ""
    /// The effective user ID.
    var userID: UInt32
    /// Runs other programs.
    var runner: any ProgramRunner

    /// The command that starts the user's editor, or nil if none is configured.
    var editor: String? {
        ["VISUAL", "EDITOR"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }

    /// The current environment: the process's own, unless a test has set another one.
    @TaskLocal static var current = Environment.ofProcess()

    /// Whether to use colours: on a terminal, unless `NO_COLOR` is set (no-color.org).
    var usesColour: Bool {
        isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// The user's home directory, or nil if it is unknown.
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
