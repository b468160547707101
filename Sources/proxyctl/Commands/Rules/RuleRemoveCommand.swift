internal import ArgumentParser
internal import ProxydRules

/// `proxyctl rule remove`: removes a rule.
struct RuleRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: "The rule's name.")
    var name: String

    func run() throws { try options.make(.remove(name: name), global) }
}
