internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydSystem
internal import ArgumentParser

/// Where rules are changed.
struct RuleChangeOptions: ParsableArguments {
    @OptionGroup var file: RuleFileOptions
    @Flag(help: "Change only the running daemon's rules; the change ends with it.")
    var temporary = false
    @Flag(help: "Print the change as a JSON object.")
    var json = false

    /// Makes a change, and prints remarks on it.
    func make(_ change: RuleChange, _ global: GlobalOptions) throws {
        try make(change, try file.access(global))
    }

    func make(_ change: RuleChange, _ access: RulesAccess) throws {
        do {
            let inForce = try access.change(change, isTemporary: temporary)
            report(inForce, of: change, access)
            if json {
                Report().json(
                    RuleChangeReport.value(
                        change, in: access.path, isTemporary: temporary, isInForce: inForce != nil))
            } else {
                let place = temporary ? "the daemon's memory" : access.path
                let words = RuleChangeReport.words(change, place)
                Report().whole(StyledText("\(words), \(RuleChangeOptions.force(inForce))"))
            }
        } catch let failure as RulesFailure {
            guard case .fileNotWritten(let words) = failure, access.inForce != nil else {
                throw failure.told()
            }
            throw CommandFailure("\(words); --temporary changes only the running daemon's rules")
        }
    }

    /// When the change takes effect.
    private static func force(_ inForce: RulesStatus?) -> String {
        guard let inForce else { return "in force when proxyd starts" }
        return inForce.problems.isEmpty ? "in force" : "not in force because of mistakes"
    }

    private func report(_ inForce: RulesStatus?, of change: RuleChange, _ access: RulesAccess) {
        guard let inForce, !temporary else { return }
        for problem in inForce.problems { Report.warn(problem) }
        let isHidden = inForce.rules.contains { $0.isTemporary && $0.name == change.rule }
        if isHidden, let rule = change.rule {
            Report.warn(
                "a temporary change of \"\(rule)\" is still in force: see rule reload --forget")
        }
    }
}

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
    @OptionGroup var placing: RulePositionOptions

    func validate() throws {
        if connect.isEmpty, request.isEmpty, response.isEmpty, !stop {
            throw ValidationError(
                "a rule needs an action: give --connect, --request or --response, or --stop")
        }
    }

    func run() throws {
        var keys: [NewRule.Option] = []
        if stop { keys.append(NewRule.Option("stop", "true")) }
        if let limit { keys.append(NewRule.Option("limit", String(limit))) }
        let rule = NewRule(name, when: when, options: keys, actions: actions)
        let lines: String
        do throws(NewRule.Mistakes) {
            lines = try rule.lines(now: SystemClock.wallNow())
        } catch {
            throw RuleAddCommand.failure(error)
        }
        try options.make(.add(name: name, lines: lines, place: placing.place ?? .last), global)
    }

    private var actions: [NewRule.Action] {
        connect.map { NewRule.Action(.connect, $0) } + request.map { NewRule.Action(.request, $0) }
            + response.map { NewRule.Action(.response, $0) }
    }

    /// Blames mistakes on options.
    private static func failure(_ mistakes: NewRule.Mistakes) -> CommandFailure {
        let lines = mistakes.all.map { "\(option($0.part)): \($0.message)" }
        for line in lines.dropLast() { Report.warn(line) }
        return CommandFailure(lines.last, code: .usage)
    }

    private static func option(_ part: String?) -> String {
        switch part {
        case nil: "the rule"
        case "name"?: "the name"
        case let part?: "--\(part)"
        }
    }
}

struct RulePositionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Before this rule.", valueName: "name"))
    var before: String?
    @Option(help: ArgumentHelp("After this rule.", valueName: "name"))
    var after: String?
    @Flag(help: "Before all other rules.")
    var first = false
    @Flag(help: "After all other rules.")
    var last = false

    private var places: [RulesText.Position] {
        [before.map(RulesText.Position.before), after.map(RulesText.Position.after)].compactMap {
            $0
        } + (first ? [.first] : []) + (last ? [.last] : [])
    }

    /// The named place, or nil for none.
    var place: RulesText.Position? { places.first }

    func validate() throws {
        if places.count > 1 {
            throw ValidationError("give only one of --before, --after, --first and --last")
        }
    }
}

/// `proxyctl rule move`: moves a rule; rules act in the order of the file.
struct RuleMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a rule; rules act in the order of the file.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: "The rule's name.")
    var name: String
    @OptionGroup var placing: RulePositionOptions

    func validate() throws {
        if placing.place == nil {
            throw ValidationError("give the place: --before, --after, --first or --last")
        }
    }

    func run() throws { try options.make(.move(name: name, place: placing.place ?? .last), global) }
}

struct RuleEnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switch on a rule or a group of rules.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @OptionGroup var subject: RuleSwitchOptions

    func run() throws { try subject.turn(on: true, options, global) }
}

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

struct RuleRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: "The rule's name.")
    var name: String

    func run() throws { try options.make(.remove(name: name), global) }
}

struct RuleEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit the rules in $VISUAL or $EDITOR.",
        discussion: "A copy is edited; it replaces the file if it has no mistakes. Otherwise "
            + "the mistakes are reported, and the copy is kept.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Flag(help: "Print the result as a JSON object.")
    var json = false

    func run() throws {
        let access = try options.access(global)
        let before = try access.read()
        let draft = try EditorDraft(Array(before.utf8), named: "rules.toml")
        do {
            try draft.edit()
        } catch {
            draft.remove()
            throw error
        }
        let text: String
        do throws(ConfigurationValueError) {
            text = try ConfigurationFile.contents(of: draft.path)
        } catch {
            throw CommandFailure("\(draft.path): \(error.message)")
        }
        do {
            let inForce = try access.write(text, over: before)
            if let inForce {
                for problem in inForce.problems { Report.warn(problem) }
            } else {
                Report.warn("no daemon is running: \(access.path) takes effect when one starts")
            }
            if json {
                Report().json(
                    .members([
                        ("change", .string("edit")), ("file", .string(access.path)),
                        ("changed", .bool(text != before)), ("in_force", .bool(inForce != nil)),
                    ]))
            }
        } catch {
            Report.warn("your edits are in \(draft.path)")
            throw (error as? RulesFailure)?.told() ?? error
        }
        draft.remove()
    }
}

struct RuleMapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Save a captured response body to a file, and serve that file from now on.",
        discussion: """
            The body is saved decoded; the rule answers requests for the same method, host and \
            path with the current content of the file: edit it and request again.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument
    @Option(
        help: ArgumentHelp(
            "Where to save the body. (default: a name from the URL, in the folder served of the "
                + "data directory)", valueName: "file"))
    var output: String?
    @Option(help: ArgumentHelp("The rule's name. (default: 'map' and the path)", valueName: "name"))
    var name: String?

    func run() throws {
        let directory = try global.dataDirectory()
        let reader: any ExchangeReading = try StoreOpener.reader(directory)
        let mapping = try RuleMapping(
            try id.id(in: reader), reader, directory, output: output, name: name)
        try mapping.make { try options.make($0, global) }
        if !options.json { Report().line(StyledText(mapping.words)) }
    }
}

/// Changes of rules as JSON.
enum RuleChangeReport {
    /// - Parameter isInForce: Whether a daemon is running and applies the rules.
    static func value(
        _ change: RuleChange, in file: String, isTemporary: Bool, isInForce: Bool
    ) -> JSONValue {
        .members([
            ("change", .string(name(of: change))), ("rule", .text(change.rule)),
            ("group", .text(group(of: change))), ("temporary", .bool(isTemporary)),
            ("file", .string(file)), ("in_force", .bool(isInForce)),
        ])
    }

    /// The change as words for users, such as `added "slow" to rules.toml`.
    static func words(_ change: RuleChange, _ place: String) -> String {
        switch change {
        case .add(let name, _, _): "added \"\(name)\" to \(place)"
        case .replace(let name, _), .setFilter(let name, _): "changed \"\(name)\" in \(place)"
        case .switchRule(let name, let isOn):
            "switched \"\(name)\" \(isOn ? "on" : "off") in \(place)"
        case .switchGroup(let name, let isOn):
            "switched the group \"\(name)\" \(isOn ? "on" : "off") in \(place)"
        case .move(let name, _): "moved \"\(name)\" in \(place)"
        case .remove(let name): "removed \"\(name)\" from \(place)"
        }
    }

    private static func name(of change: RuleChange) -> String {
        switch change {
        case .add: "add"
        case .replace, .setFilter: "edit"
        case .switchRule(_, let isOn), .switchGroup(_, let isOn): isOn ? "enable" : "disable"
        case .move: "move"
        case .remove: "remove"
        }
    }

    private static func group(of change: RuleChange) -> String? {
        if case .switchGroup(let name, _) = change { name } else { nil }
    }
}
