internal import ArgumentParser

/// Which rules file to use.
struct RuleFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file next to the rules file, if no daemon is running.",
            valueName: "file"))
    var config: String?

    func access(_ global: GlobalOptions) throws -> RulesAccess {
        try RulesAccess(global.dataDirectory(), configurationFile: config)
    }
}
