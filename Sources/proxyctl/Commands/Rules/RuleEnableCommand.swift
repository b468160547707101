internal import ArgumentParser
internal import ProxydRules

/// `proxyctl rule enable`: switches a rule on.
struct RuleEnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switch on a rule or a group of rules.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @OptionGroup var subject: RuleSwitchOptions

    func run() throws { try subject.turn(on: true, options, global) }
}

/// `proxyctl rule disable`: switches a rule off.
struct RuleDisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Switch off a rule or a group of rules.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @OptionGroup var subject: RuleSwitchOptions

    func run() throws { try subject.turn(on: false, options, global) }
}

/// Which rules or groups are switched.
struct RuleSwitchOptions: ParsableArguments {
    @Argument(help: "The rule's name.")
    var name: String?
    @Option(help: ArgumentHelp("Switch all rules of a group.", valueName: "name"))
    var group: String?

    func validate() throws {
        if (name == nil) == (group == nil) {
            throw ValidationError("give the name of a rule or --group")
        }
    }

    func turn(on isOn: Bool, _ options: RuleChangeOptions, _ global: GlobalOptions) throws {
        if let name { try options.make(.switchRule(name: name, isOn: isOn), global) }
        if let group { try options.make(.switchGroup(name: group, isOn: isOn), global) }
    }
}
