internal import ArgumentParser
internal import ProxydHTTPModel
internal import ProxydRules

/// `proxyctl rule add`: writes a rule at the end of the file.
struct RuleAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a rule.",
        discussion: """
            An action is VERB REST, 'set header:X-A=1' for example, or an inline table as in the \
            file: '{ replace = "body", match = "a", with = "b" }'.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: "The rule's name.")
    var name: String
    @Option(help: ArgumentHelp("Which exchanges it is for.", valueName: "filter"))
    var when: String?
    @Option(help: ArgumentHelp("An action on connections; may be repeated.", valueName: "action"))
    var connect: [String] = []
    @Option(help: ArgumentHelp("An action on requests; may be repeated.", valueName: "action"))
    var request: [String] = []
    @Option(help: ArgumentHelp("An action on responses; may be repeated.", valueName: "action"))
    var response: [String] = []
    @Flag(help: "Where it matches, the rules after it are not looked at.")
    var stop = false
    @Option(help: ArgumentHelp("Rests after so many exchanges.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if connect.isEmpty, request.isEmpty, response.isEmpty {
            throw ValidationError("a rule does something: give --connect, --request or --response")
        }
    }

    func run() throws {
        var actions: [(phase: RulePhase, table: String)] = []
        do {
            for (phase, texts) in [
                (RulePhase.connect, connect), (.request, request), (.response, response),
            ] {
                for text in texts { actions.append((phase, try RuleShortForm.table(text))) }
            }
        } catch let problem as RuleShortForm.Problem {
            throw CommandFailure(problem.description, code: .usage)
        }
        var keys: [(key: String, value: String)] = []
        if stop { keys.append(("stop", "true")) }
        if let limit { keys.append(("limit", String(limit))) }
        let rule = RuleShortForm.rule(name, when: when, options: keys, actions: actions)
        try options.access(global).edit { try $0.append(rule, named: name) }
    }
}
