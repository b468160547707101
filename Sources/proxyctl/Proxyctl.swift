internal import ArgumentParser
internal import Glibc
internal import ProxydConfinement
internal import ProxydProcessSetup

/// `proxyctl`: shows what proxyd recorded, and controls a running daemon.
@main
struct Proxyctl: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "proxyctl",
        abstract: "View and replay the exchanges that proxyd recorded.",
        discussion: """
            FILTER selects exchanges: a word is searched for in the URL, FIELD:TEXT matches a \
            substring, FIELD=VALUE an exact value, FIELD~REGEX a pattern; < <= > >= compare \
            numbers, sizes, durations and times; and, or, not and ( ) combine. See proxyctl help \
            filter.

            --file FILE, alone or before a command that only reads, reads a file that import \
            could read instead of the data directory.
            """,
        version: "proxyctl \(ProgramVersion.number)",
        subcommands: [
            ListCommand.self, ShowCommand.self, MessagesCommand.self, TailCommand.self,
            MarkCommand.self, ReplayCommand.self, SQLCommand.self, ExportCommand.self,
            ImportCommand.self, ProtoCommand.self, RuleCommand.self, HoldCommands.self,
            ServeCommand.self, RunCommand.self, BrowserCommand.self, AssertCommand.self,
            CompareCommand.self, WebCommand.self, MCPCommand.self, RecordCommand.self,
            TransparentCommand.self, UserCommand.self, CACommand.self, ClearCommand.self,
            StatusCommand.self, CheckCommand.self, AnswerSQLCommand.self,
            HelpCommand.self, FilterCommand.self,
        ])

    @OptionGroup var global: GlobalOptions

    @Option(help: "Colours for a light or dark background; auto asks the terminal.")
    var theme = ThemeOption.auto

    /// The options of the program itself that take a value.
    static let valueOptions: Set = ["--data-dir", "--store", "--theme"]

    func run() throws {
        let environment = Environment.current
        guard Interface.isPossible(environment) else {
            if LeadingFile.isNamed {
                throw CommandFailure(
                    "the interface needs a terminal; list, show, messages, export and sql work "
                        + "without one"
                )
            }
            throw CleanExit.helpRequest(self)
        }
        try Interface.run(LeadingFile.place(nil, global), environment, theme.choice)
    }

    static func main() {
        StandardStreams.open()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let command = ConfinedCommand(arguments: arguments) {
            // Parsed without ArgumentParser: no user's command line starts this way.
            let (status, reason) = command.become()
            Report.warn(reason)
            Environment.current.errors.flush()
            Glibc.exit(status)
        }
        Glibc.exit(Program.run(arguments, .current))
    }
}
