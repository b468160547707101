internal import ArgumentParser
internal import ProxydRules

/// Where a rule is placed.
struct RulePlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Before this rule.", valueName: "name"))
    var before: String?
    @Option(help: ArgumentHelp("After this rule.", valueName: "name"))
    var after: String?
    @Flag(help: "Before all other rules.")
    var first = false
    @Flag(help: "After all other rules.")
    var last = false

    /// The places named by options.
    private var places: [RulesText.Place] {
        [before.map(RulesText.Place.before), after.map(RulesText.Place.after)].compactMap { $0 }
            + (first ? [.first] : []) + (last ? [.last] : [])
    }

    /// The named place, or nil for none.
    var place: RulesText.Place? { places.first }

    func validate() throws {
        if places.count > 1 {
            throw ValidationError("give only one of --before, --after, --first and --last")
        }
    }
}
