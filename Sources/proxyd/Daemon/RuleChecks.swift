internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydRules

/// What rules need apart from their file: scripts that may be run, names that are configured.
struct RuleChecks: Sendable {
    let scripts: ScriptRules
    var names: RouteNames

    /// The checks for a configuration.
    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init(
        _ configuration: Configuration, dataDirectory: String, environment: [String: String]
    ) throws(ConfigurationError) {
        scripts = ScriptRules(
            configuration, dataDirectory: dataDirectory, environment: environment)
        names = try RouteNames(configuration, environment: environment)
    }

    /// Rejects rules that would not do what they say.
    /// - Throws: each mistake with its line.
    func run(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        var problems: [ConfigurationProblem] = []
        do throws(ConfigurationError) {
            try scripts.check(rules, of: file)
        } catch {
            problems += error.problems
        }
        do throws(ConfigurationError) {
            try names.check(rules, of: file)
        } catch {
            problems += error.problems
        }
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
    }
}
