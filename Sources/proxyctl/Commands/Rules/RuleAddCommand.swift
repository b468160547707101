internal import ArgumentParser
internal import ProxydHTTPModel
internal import ProxydRules

/// `proxyctl rule add`: adds a rule, by default at the end of the file.
struct RuleAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a rule.",
        discussion: """
            An action is VERB REST, such as 'set header:X-A=1', or an inline table as in the file: \
            '{ replace = "body", match = "a", with = "b" }'.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: "The rule's name.")
    var name: String
    @Option(help: ArgumentHelp("The exchanges that the rule applies to.", valueName: "filter"))
    var when: String?
    @Option(help: ArgumentHelp("An action on connections; may be repeated.", valueName: "action"))
    var connect: [String] = []
    @Option(help: ArgumentHelp("An action on requests; may be repeated.", valueName: "action"))
    var request: [String] = []
    @Option(help: ArgumentHelp("An action on responses; may be repeated.", valueName: "action"))
    var response: [String] = []
    @Flag(help: "If the rule matches, skip the rules after it.")
    var stop = false
    @Option(
        help: ArgumentHelp("Stop applying the rule after this many exchanges.", valueName: "count"))
    var limit: Int?
    @OptionGroup var placing: RulePlaceOptions

    func validate() throws {
        if connect.isEmpty, request.isEmpty, response.isEmpty, !stop {
            throw ValidationError(
                "a rule needs an action: give --connect, --request or --response, or --stop")
        }
    }

    func run() throws {
        var keys: [(key: String, value: String)] = []
        if stop { keys.append(("stop", "true")) }
        if let limit { keys.append(("limit", String(limit))) }
        let actions = try actions()
        let rule = RuleShortForm.rule(name, when: when, options: keys, actions: actions)
        try options.make(.add(name: name, lines: rule, place: placing.place ?? .last), global)
    }

    private func actions() throws -> [(phase: RulePhase, table: String)] {
        let texts =
            connect.map { (RulePhase.connect, $0) } + request.map { (.request, $0) }
            + response.map { (.response, $0) }
        return try texts.map { phase, text in
            do throws(RuleShortForm.Problem) {
                return (phase, try RuleShortForm.table(text))
            } catch {
                throw CommandFailure(error.description, code: .usage)
            }
        }
    }
}
