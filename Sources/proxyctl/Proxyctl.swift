internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfinement
internal import ProxydControl
internal import ProxydEventLoops
internal import ProxydProcessSetup
internal import ProxydSystem
internal import ProxydTLS
internal import ProxydTUI
internal import ProxydTerminalText
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// `proxyctl`: shows what proxyd recorded, and controls a running daemon.
@main
struct Proxyctl: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "proxyctl", abstract: "View and replay the exchanges that proxyd recorded.",
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
        try Interface.run(LeadingFile.location(nil, global), environment, theme.choice)
    }

    static func main() {
        StandardStreams.open()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let command = ConfinedCommand(arguments: arguments) {
            // Parsed without ArgumentParser: no user's command line starts this way.
            let (status, reason) = command.become()
            Report.warn(reason)
            Environment.current.errors.flush()
            end(status)
        }
        end(Program.run(arguments, .current))
    }

    /// Ends without the exit handlers of libraries, which free what threads of the interface that
    /// are not waited for may still use.
    private static func end(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}

/// Runs a command line, from arguments to exit code.
enum Program {
    /// Parses and runs the arguments. Returns exit code 0 on success, 1 if nothing matched or the
    /// operation failed, and 64 for wrong usage. Messages have already been printed.
    static func run(_ arguments: [String], _ environment: Environment) -> Int32 {
        Environment.$current.withValue(environment) {
            let store = FileStore()
            let code = FileStore.$current.withValue(store) { perform(arguments, environment) }
            store.remove()
            environment.output.flush()
            environment.errors.flush()
            return code == 0 ? outputFailure(environment) : code
        }
    }

    private static func perform(_ arguments: [String], _ environment: Environment) -> Int32 {
        var arguments = arguments
        do {
            let file = try LeadingFile(in: arguments)
            arguments = file.arguments
            var command = try Proxyctl.parseAsRoot(arguments)
            try file.run(&command)
            return 0
        } catch {
            guard let failure = CommandFailure(explaining: error) else {
                return explain(error, arguments, environment)
            }
            if let message = failure.message { Report.warn(message, environment) }
            for line in failure.quotation { Report.quote(line, environment) }
            if let nextStep = failure.nextStep { Report.warn(nextStep, environment) }
            return failure.code.rawValue
        }
    }

    /// Handles errors of the argument parser: a request for help, which is not a failure, or wrong
    /// usage.
    private static func explain(
        _ error: any Error, _ arguments: [String], _ environment: Environment
    ) -> Int32 {
        let code = Proxyctl.exitCode(for: error)
        if code == .validationFailure, let unknown = UnknownCommand(in: arguments) {
            Report.warn(unknown.message, environment)
            return CommandFailure.Code.usage.rawValue
        }
        // The message repeats arguments, which may come from a capture.
        let text = TerminalText.sanitize(Proxyctl.fullMessage(for: error), layout: .multiLine)
        let message = Array((text + "\n").utf8)
        if code == .success {
            environment.output.write(message)
            return 0
        }
        environment.errors.write(message)
        return code == .validationFailure
            ? CommandFailure.Code.usage.rawValue : CommandFailure.Code.failed.rawValue
    }

    /// Returns 1 if standard output could not be written completely, for example on a full disk.
    private static func outputFailure(_ environment: Environment) -> Int32 {
        guard let number = environment.output.failure else { return 0 }
        Report.warn("standard output: \(String(cString: strerror(number)))", environment)
        return CommandFailure.Code.failed.rawValue
    }
}

/// Why a command failed, with its documented exit code.
struct CommandFailure: Error, CustomStringConvertible {
    struct Code: RawRepresentable, Hashable, Sendable {
        let rawValue: Int32

        /// Nothing matched, or the operation failed.
        static let failed = Code(rawValue: 1)
        /// The arguments are invalid.
        static let usage = Code(rawValue: 64)
        /// An assertion file contains errors.
        static let data = Code(rawValue: 65)
        /// There is no store to make assertions on.
        static let noInput = Code(rawValue: 66)
        /// A configuration or rules file contains errors.
        static let configuration = Code(rawValue: 78)
        /// A program cannot be started, as in shells.
        static let notStarted = Code(rawValue: 126)
        /// A program does not exist, as in shells.
        static let notFound = Code(rawValue: 127)
    }

    let code: Code
    /// A one-line message for users, or nil if everything has already been printed.
    let message: String?
    /// Lines that show what the message is about, such as a filter with a mark below its mistake.
    let quotation: [String]
    /// What users can do next, as another line.
    let nextStep: String?

    init(
        _ message: String?, code: Code = .failed, quotation: [String] = [],
        nextStep: String? = nil
    ) {
        self.message = message
        self.code = code
        self.quotation = quotation
        self.nextStep = nextStep
    }

    /// The failure that an error means for a command; nil if its description is not for users.
    init?(explaining error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case is StoreError, is ControlError, is StreamError, is TLSError,
            is CertificateAuthorityError:
            self.init("\(error)")
        default: return nil
        }
    }

    var description: String { message ?? "" }
}

/// The terminal interface on a store.
enum Interface {
    /// Whether there is a terminal to draw on and a keyboard to read.
    static func isPossible(_ environment: Environment) -> Bool {
        environment.isTerminal && isatty(STDIN_FILENO) == 1
            && environment.variables["TERM"] != "dumb"
    }

    /// Runs until the user quits. Waits for a store that does not exist yet.
    static func run(_ location: StoreLocation, _ environment: Environment, _ theme: ThemeChoice)
        throws
    {
        OwnerIdentity.assume(of: location.directory.path)
        location.commitEnded()
        let news = location.newsWatch()
        var services = Services(
            openStore: { try location.interfaceReader() },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.storeIdentity = { location.identity }
        services.hostActions = .of(location)
        services.usesColour = environment.usesColour
        services.theme = theme
        services.terminalColours = environment.variables["COLORFGBG"]
        services.stateDirectory = stateDirectory(environment)
        services.copyDirectory =
            services.stateDirectory ?? FileManager.default.temporaryDirectory.path
        services.editor = environment.editor ?? "vi"
        do {
            try Application.run(services)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// `$XDG_STATE_HOME/proxyctl`, or else `~/.local/state/proxyctl`; nil if the home is unknown.
    private static func stateDirectory(_ environment: Environment) -> String? {
        if let base = environment.variables["XDG_STATE_HOME"], base.hasPrefix("/") {
            return base + "/proxyctl"
        }
        return environment.home.map { $0 + "/.local/state/proxyctl" }
    }
}

/// A theme, by the name that users type.
enum ThemeOption: String, ExpressibleByArgument, CaseIterable {
    case light, dark, auto

    var choice: ThemeChoice {
        switch self {
        case .light: .light
        case .dark: .dark
        case .auto: .auto
        }
    }
}
