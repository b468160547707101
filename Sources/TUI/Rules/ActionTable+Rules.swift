extension ActionID {
    static let showRules = ActionID("rules")
    static let ruleForExchange = ActionID("rule.for-exchange")
    static let mapBody = ActionID("rule.map")
    static let listHits = ActionID("rule.hits")
    static let switchRule = ActionID("rule.switch")
    static let switchGroup = ActionID("rule.switch-group")
    static let editRule = ActionID("rule.edit")
    static let editRuleFilter = ActionID("rule.filter")
    static let newRule = ActionID("rule.new")
    static let removeRule = ActionID("rule.remove")
    static let moveRuleUp = ActionID("rule.move-up")
    static let moveRuleDown = ActionID("rule.move-down")
    static let temporaryRules = ActionID("rule.temporary")
    static let forgetTemporaryRules = ActionID("rule.forget")
    static let editRulesFile = ActionID("rule.edit-file")
}

extension ActionTable {
    static let ruling = [
        Action(.showRules, [Key("L")], [.list, .detail], "Show the rules, and what they do"),
        Action(
            .ruleForExchange, [Key("A")], [.list, .detail],
            "Add a rule for this host, method and path"),
        Action(
            .mapBody, [Key("M")], [.list, .detail],
            "Save the response's body to a file and serve that from now on"),
        Action(
            .switchRule, [.space, Key("s")], [.rules], "Switch the rule on or off", hint: "on/off"),
        Action(
            .editRule, [Key("e")], [.rules], "Edit the rule in $EDITOR", hint: "edit"),
        Action(
            .editRuleFilter, [Key("f"), Key("/")], [.rules],
            "Edit its filter; the exchanges it would match are counted", hint: "filter"),
        Action(.newRule, [Key("n"), Key("a")], [.rules], "Add a rule", hint: "new"),
        Action(
            .removeRule, [Key("d"), Key(.delete)], [.rules], "Remove the rule", hint: "remove"),
        Action(.moveRuleUp, [Key("K"), Key(.up, .alt)], [.rules], "Move the rule up", hint: "up"),
        Action(
            .moveRuleDown, [Key("J"), Key(.down, .alt)], [.rules], "Move the rule down",
            hint: "down"),
        Action(
            .listHits, [.enter], [.rules], "List the exchanges that it acted on", hint: "hits"),
        Action(.switchGroup, [Key("u")], [.rules], "Switch its group on or off"),
        Action(
            .temporaryRules, [Key("t")], [.rules],
            "Change rules only in the daemon's memory, or in the file again", hint: "temporary"),
        Action(
            .forgetTemporaryRules, [Key("U")], [.rules], "Drop all temporary changes"),
        Action(.editRulesFile, [Key("E")], [.rules], "Edit the whole file in $EDITOR"),
    ]
}
