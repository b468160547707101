internal import ArgumentParser
internal import ProxydRules

/// `proxyctl rule move`: rules act in the order of the file.
struct RuleMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a rule: they act in the order of the file.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: "The rule's name.")
    var name: String
    @Option(help: ArgumentHelp("In front of this rule.", valueName: "name"))
    var before: String?
    @Option(help: ArgumentHelp("Behind this rule.", valueName: "name"))
    var after: String?
    @Flag(help: "In front of all others.")
    var first = false
    @Flag(help: "Behind all others.")
    var last = false

    private var places: [RulesText.Place] {
        [before.map(RulesText.Place.before), after.map(RulesText.Place.after)].compactMap { $0 }
            + (first ? [.first] : []) + (last ? [.last] : [])
    }

    func validate() throws {
        if places.count != 1 {
            throw ValidationError("say where: --before, --after, --first or --last")
        }
    }

    func run() throws {
        try options.access(global).edit { text in
            for place in places { try text.move(name, to: place) }
        }
    }
}
