internal import ArgumentParser
internal import ProxydRules

/// `proxyctl rule remove`: takes a rule out of the file.
struct RuleRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: "The rule's name.")
    var name: String

    func run() throws { try options.access(global).edit { try $0.remove(name) } }
}
