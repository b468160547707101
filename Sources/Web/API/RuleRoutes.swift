internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydWebServer

/// Routes for rules.
struct RuleRoutes: Sendable {
    let store: SharedReader
    let services: WebServices

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/rules") { _ in
            .json(RulesJSON.value(try ruleEditing().rules()))
        }
        router.add(.post, "/api/v1/rules", add)
        router.add(.patch, "/api/v1/rules", switchGroup)
        router.add(.get, "/api/v1/rules/file") { _ in
            .json(.members([("text", .string(try ruleEditing().fileText()))]))
        }
        router.add(.put, "/api/v1/rules/file", write)
        router.add(.post, "/api/v1/rules/test", test)
        router.add(.get, "/api/v1/rules/{name}", lines)
        router.add(.patch, "/api/v1/rules/{name}", change)
        router.add(.delete, "/api/v1/rules/{name}", remove)
        router.add(.post, "/api/v1/exchanges/{id}/map", map)
    }

    private func ruleEditing() throws(WebProblem) -> any RuleEditing {
        guard let ruleEditing = services.actions.ruleEditing else {
            throw WebProblem(403, "this store has no rules")
        }
        return ruleEditing
    }

    /// Writes the file if it still has the text `before`.
    private func write(_ request: WebRequest) throws -> WebResponse {
        let ruleEditing = try ruleEditing()
        let members = try request.object(["text", "before"])
        let report = try ruleEditing.write(
            members.requiredText("text"), over: members.requiredText("before"))
        return .json(RulesJSON.value(report))
    }

    /// Adds a rule that a form describes; without a name, it is named after what it does.
    private func add(_ request: WebRequest) throws -> WebResponse {
        let ruleEditing = try ruleEditing()
        let members = try request.object(RuleRoutes.ruleMembers + ["temporary", "first"])
        let isTemporary = try members.bool("temporary") ?? false
        let place: RulesText.Position = try members.bool("first") ?? false ? .first : .last
        var rule = try newRule(members)
        guard !rule.actions.isEmpty else { throw WebProblem(422, "a rule needs an action") }
        let names = try ruleEditing.rules().rules.map(\.name)
        if rule.name.isEmpty { rule.name = RuleRoutes.name(of: rule, besides: names) }
        guard !names.contains(rule.name) else {
            throw WebProblem(409, "there already is a rule named \"\(rule.name)\"")
        }
        let change = RuleChange.add(name: rule.name, lines: try lines(of: rule), place: place)
        return .json(RulesJSON.value(try ruleEditing.change(change, isTemporary: isTemporary)))
    }

    private static let ruleMembers = ["name", "filter", "request", "response", "group"]

    private func newRule(_ members: BodyMembers) throws -> NewRule {
        let filter = try members.text("filter") ?? ""
        _ = try Filter.parse(filter, now: services.now())
        let actions =
            try members.texts("request").map { NewRule.Action(.request, $0) }
            + members.texts("response").map { NewRule.Action(.response, $0) }
        return NewRule(
            try members.text("name") ?? "", when: filter.isEmpty ? nil : filter,
            group: try members.text("group"), actions: actions)
    }

    private func lines(of rule: NewRule) throws(WebProblem) -> String {
        do throws(NewRule.Mistakes) {
            return try rule.lines(now: services.now())
        } catch {
            throw WebProblem(422, error.description)
        }
    }

    /// A name that no rule has: the first word of its first action, and its filter.
    private static func name(of rule: NewRule, besides names: [String]) -> String {
        let words = rule.actions.first.map { $0.text.filter { !"{}".contains($0) } } ?? ""
        let verb = words.split(separator: " ").first.map(String.init) ?? "rule"
        let base = rule.filter.map { "\(verb) \($0)" } ?? verb
        let free = (1...).lazy.map { $0 == 1 ? base : "\(base) \($0)" }.first { name in
            !names.contains(name)
        }
        return free ?? base
    }

    private func switchGroup(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object(["group", "enabled", "temporary"])
        let change = RuleChange.switchGroup(
            name: try members.requiredText("group"), isOn: try members.requiredBool("enabled"))
        let isTemporary = try members.bool("temporary") ?? false
        return .json(RulesJSON.value(try ruleEditing().change(change, isTemporary: isTemporary)))
    }

    private func lines(_ request: WebRequest) throws -> WebResponse {
        let (ruleEditing, name) = try known(request)
        return .json(
            .members([("name", .string(name)), ("lines", .string(try ruleEditing.lines(of: name)))])
        )
    }

    /// Makes the one change that the body has.
    private func change(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object(["enabled", "filter", "before", "lines", "temporary"])
        let change = try RuleRoutes.change(members, of: request.segment("name"))
        let isTemporary = try members.bool("temporary") ?? false
        let (ruleEditing, _) = try known(request)
        return .json(RulesJSON.value(try ruleEditing.change(change, isTemporary: isTemporary)))
    }

    private static func change(_ members: BodyMembers, of name: String) throws -> RuleChange {
        let changes = ["enabled", "filter", "before", "lines"].filter { members[$0] != nil }
        guard changes.count == 1 else {
            throw WebProblem(400, "give one of enabled, filter, before and lines")
        }
        switch changes[0] {
        case "enabled":
            return .switchRule(name: name, isOn: try members.requiredBool("enabled"))
        case "filter":
            let filter = try members.requiredText("filter")
            _ = try Filter.parse(filter)
            return .setFilter(name: name, filter: filter)
        case "before":
            let next = try members.text("before")
            return .move(name: name, place: next.map(RulesText.Position.before) ?? .last)
        default: return .replace(name: name, lines: try members.requiredText("lines"))
        }
    }

    private func remove(_ request: WebRequest) throws -> WebResponse {
        let isTemporary = try request.flag("temporary") ?? false
        let (ruleEditing, name) = try known(request)
        let report = try ruleEditing.change(.remove(name: name), isTemporary: isTemporary)
        return .json(RulesJSON.value(report))
    }

    /// The rule that the path names.
    private func known(_ request: WebRequest) throws -> (any RuleEditing, name: String) {
        let ruleEditing = try ruleEditing()
        let name = request.segment("name")
        guard try ruleEditing.rules().rules.contains(where: { $0.name == name }) else {
            throw WebProblem(404, "there is no rule named \"\(name)\"")
        }
        return (ruleEditing, name)
    }

    /// Saves the body of a response, and adds the rule that serves it.
    private func map(_ request: WebRequest) throws -> WebResponse {
        let ruleEditing = try ruleEditing()
        let members = try request.object(["name", "temporary"])
        let name = try members.text("name") ?? ""
        let isTemporary = try members.bool("temporary") ?? false
        let id = try store.exchangeID(of: request)
        let row = try store.read(for: request) { (reader) throws(StoreError) in try reader.row(id) }
        guard let row else {
            throw WebProblem(404, "there is no exchange \(request.segment("id"))")
        }
        let notice = try ruleEditing.map(
            RuleMapOrder(
                id: id, file: FileNames.response(row), rule: name, isTemporary: isTemporary))
        return .json(
            .members([
                ("notice", .string(notice)), ("rules", RulesJSON.value(try ruleEditing.rules())),
            ]))
    }

    /// Counts the stored exchanges that a filter matches, or any rule of the text of a file. The
    /// actions of a rule are checked, too.
    private func test(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object(RuleRoutes.ruleMembers + ["text"])
        let rules = try members.text("text")
        let others = RuleRoutes.ruleMembers.filter { members[$0] != nil }
        guard rules == nil || others.isEmpty else {
            throw WebProblem(400, "give filter or text, not both")
        }
        let text = try rules.map(condition) ?? members.requiredText("filter")
        let filter = try Filter.parse(text, now: services.now())
        var draft: String?
        if rules == nil {
            var rule = try newRule(members)
            if rule.name.isEmpty { rule.name = RuleRoutes.name(of: rule, besides: []) }
            if !rule.actions.isEmpty { draft = try lines(of: rule) }
        }
        let (matched, all) = try store.read(for: request) {
            (reader) throws(StoreError) -> (Int64, Int64) in
            (try reader.count(matching: filter), try reader.exchangeCount())
        }
        return .json(
            .members([
                ("matched", .integer(matched)), ("examined", .integer(all)),
                ("lines", .text(draft)),
            ]))
    }

    /// A filter for what the enabled rules of a text match.
    private func condition(ofRules text: String) throws(WebProblem) -> String {
        let rules: RuleSet
        do {
            rules = try RulesFile.read(text, file: "rules.toml", now: services.now())
        } catch {
            throw WebProblem(422, "\(error)")
        }
        let filters = rules.rules.filter(\.isEnabled).map(\.filter)
        if filters.isEmpty { return "not ~all" }
        if filters.contains(where: \.matchesEverything) { return "" }
        return filters.map { "(\($0.text))" }.joined(separator: " or ")
    }
}
