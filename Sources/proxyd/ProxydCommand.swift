internal import Capture
internal import ProxydConfigurationText
internal import ProxydConfinement
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydProcessSetup
internal import ProxydTLS
internal import ArgumentParser
internal import Glibc

/// The entry point: runs the daemon, or a process that confines itself and becomes a script.
@main
enum Program {
    static func main() {
        // Parsed without ArgumentParser, because users never type these arguments.
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = ConfinedCommand(arguments: arguments) else {
            return ProxydCommand.main()
        }
        let (status, reason) = command.become()
        StandardError.write("proxyd: \(reason)")
        exit(status)
    }
}

struct ProxydCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxyd", abstract: "A local HTTP proxy that records every exchange.",
        discussion: """
            Point a client at it (http_proxy=http://127.0.0.1:8080) and view its traffic with
            proxyctl. The configuration file is --config, otherwise
            $XDG_CONFIG_HOME/proxyd/proxyd.toml, otherwise /etc/proxyd/proxyd.toml.
            SIGTERM and SIGINT drain connections and stop proxyd; a second one stops it
            immediately. SIGHUP reloads the configuration.
            """,
        version: Version.report)

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "An address to listen on, instead of listen.addresses in the configuration; may be "
                + "repeated. Port 0 lets the system choose.", valueName: "[mode://]addr:port"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The directory for captures, the CA and the control socket.", valueName: "dir"))
    var dataDir: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String?

    @Flag(help: "Check the configuration, the rules and the users files, and exit.")
    var checkConfig = false

    /// EX_CONFIG of sysexits.h: there is a mistake in the configuration.
    private static let configurationExit = ExitCode(78)

    func run() throws {
        StandardStreams.open()
        // There is always a program name; Swift reads the arguments from /proc/self/cmdline.
        guard CommandLine.argc > 0 else {
            StandardError.write("proxyd: cannot read the arguments; is /proc mounted?")
            throw ExitCode.failure
        }
        let environment = ProcessEnvironment.current()
        let locator = ConfigurationLocator(environment: environment)
        let file = locator.configurationFile(flag: config)
        let overrides = ConfigurationOverrides(listen: listen, logLevel: logLevel)
        let configuration = try load(file, overrides)
        let dataDirectory = try locate(locator, configuration)
        if checkConfig {
            try checkRules(locator, configuration, beside: file, dataDirectory: dataDirectory)
            try checkUsers(configuration)
            print("\(file ?? "built-in defaults"): the configuration is valid")
            return
        }
        StandardErrorLog.install(level: configuration.logLevel, environment: environment)
        let daemonEnvironment = Daemon.Environment(
            variables: environment, configurationFile: file, overrides: overrides,
            dataDirectory: dataDirectory)
        Signals.unblock()
        do {
            try Daemon(configuration, in: daemonEnvironment).run()
        } catch  where error is ConfigurationError || error is ConfigurationProblem {
            // A partly understood rules file would do only part of what is intended.
            StandardError.write("\(error)")
            throw ProxydCommand.configurationExit
        } catch {
            StandardError.write("proxyd: \(error)")
            throw ExitCode.failure
        }
    }

    private func load(
        _ file: String?, _ overrides: ConfigurationOverrides
    ) throws -> Configuration {
        do {
            return try Configuration.load(file: file, overrides: overrides)
        } catch {
            StandardError.write(error.description)
            // A mistake in a command-line option counts as a usage error.
            let isUsage = error.problems.allSatisfy { $0.location.hasPrefix("--") }
            throw isUsage ? ExitCode.validationFailure : ProxydCommand.configurationExit
        }
    }

    /// Reads and checks the rules as at startup.
    private func checkRules(
        _ locator: ConfigurationLocator, _ configuration: Configuration, beside file: String?,
        dataDirectory: String
    ) throws {
        do {
            let checks = try RuleChecks(
                configuration, dataDirectory: dataDirectory, environment: locator.environment)
            let rules = try locator.rulesFile(
                configured: configuration.rules.file, configurationFile: file)
            if let rules { _ = try RulesKeeper.read(rules, checks) }
        } catch {
            StandardError.write("\(error)")
            throw ProxydCommand.configurationExit
        }
    }

    /// Reads and checks the users files as at startup.
    private func checkUsers(_ configuration: Configuration) throws {
        do throws(ConfigurationError) {
            _ = try UsersKeeper.users(of: configuration.listen)
        } catch {
            StandardError.write(error.description)
            throw ProxydCommand.configurationExit
        }
    }

    private func locate(
        _ locator: ConfigurationLocator, _ configuration: Configuration
    ) throws -> String {
        do {
            return try locator.dataDirectory(flag: dataDir, configured: configuration.dataDirectory)
        } catch {
            StandardError.write(error.description)
            throw ProxydCommand.configurationExit
        }
    }
}

enum Version {
    static let number = ProgramVersion.number

    /// The output of `--version`: the library versions at run time, for bug reports and for
    /// checking whether a fix is included.
    static var report: String {
        """
        proxyd \(number)
        libevent \(EventLibrary.version)
        \(TLSLibrary.version)
        SQLite \(StoreLibrary.version)
        jemalloc \(Jemalloc.version)
        """
    }
}
