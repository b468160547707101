internal import ArgumentParser

/// Answers another program's questions about a central store.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer the questions of proxyctl over standard input.",
        shouldDisplay: false)

    @Flag(help: "Speak over standard input and output.")
    var stdio = false

    @Argument(help: "The central store.")
    var store: String

    func run() throws {
        guard stdio else { throw ValidationError("--stdio is the only way to be asked") }
    }
}
