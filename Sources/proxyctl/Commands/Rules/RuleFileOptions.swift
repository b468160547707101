internal import ArgumentParser

/// Which rules file to use.
struct RuleFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file beside which the rules are, where no daemon runs.",
            valueName: "file"))
    var config: String?

    func access(_ global: GlobalOptions) throws -> RulesAccess {
        try RulesAccess(global.dataDirectory(), configurationFile: config)
    }
}
