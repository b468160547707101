internal import ArgumentParser
internal import ProxydRules

/// `proxyctl rule move`: moves a rule; rules act in the order of the file.
struct RuleMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a rule; rules act in the order of the file.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: "The rule's name.")
    var name: String
    @OptionGroup var placing: RulePlaceOptions

    func validate() throws {
        if placing.place == nil {
            throw ValidationError("give the place: --before, --after, --first or --last")
        }
    }

    func run() throws {
        try options.make(.move(name: name, place: placing.place ?? .last), global)
    }
}
