internal import ArgumentParser

/// `proxyctl help`: explains a command; `help filter` is the manual of the filter language.
struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Explain a command, or the filter language: help filter.",
        helpNames: [])

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("A command, or the word filter.", valueName: "command"))
    var names: [String] = []
    @Flag(name: [.short, .long], help: .hidden)
    var help = false

    func run() throws {
        var command: any ParsableCommand.Type = Proxyctl.self
        for (index, name) in names.enumerated() {
            guard let next = CommandNames.subcommand(name, of: command) else {
                throw CommandFailure(
                    UnknownCommand(name: name, among: command).message, code: .usage)
            }
            guard next != FilterCommand.self else { return FilterCommand.printManual() }
            guard next != HelpCommand.self || index > 0 else { break }
            command = next
        }
        throw CleanExit.helpRequest(command)
    }
}
