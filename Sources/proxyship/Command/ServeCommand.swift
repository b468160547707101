internal import ArgumentParser
internal import Glibc
internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup

/// Answers another program's questions about a central store.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer the questions of proxyctl.",
        discussion: "proxyctl --store starts this; it ends with standard input.",
        shouldDisplay: false)

    @Flag(help: "Speak over standard input and output.")
    var stdio = false

    @Argument(help: ArgumentHelp("The central store.", valueName: "uri"))
    var store: String

    func run() throws {
        guard stdio else { throw ValidationError("--stdio is the only way to be asked") }
        StandardStreams.open()
        signal(SIGPIPE, SIG_IGN)
        // A key that is pressed in the terminal is for the program that asks.
        signal(SIGINT, SIG_IGN)
        let location: PostgresLocation
        do throws(CentralError) {
            location = try PostgresLocation(store)
        } catch {
            _ = WirePipe.write(.failed(error), to: STDOUT_FILENO)
            throw ExitCode.failure
        }
        let server = StatementServer(output: STDOUT_FILENO)
        guard server.run(location, input: STDIN_FILENO) else { throw ExitCode.failure }
    }
}
