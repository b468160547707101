internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
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
        router.add(.get, "/api/v1/rules/file") { _ in
            .json(.members([("text", .string(try ruleEditing().fileText()))]))
        }
        router.add(.put, "/api/v1/rules/file", write)
        router.add(.post, "/api/v1/rules/test", test)
        router.add(.patch, "/api/v1/rules/{name}", change)
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

    private func change(_ request: WebRequest) throws -> WebResponse {
        let ruleEditing = try ruleEditing()
        let members = try request.object(["enabled", "temporary"])
        let name = request.segment("name")
        let change = RuleChange.switchRule(name: name, isOn: try members.requiredBool("enabled"))
        let isTemporary = try members.bool("temporary") ?? false
        guard try ruleEditing.rules().rules.contains(where: { $0.name == name }) else {
            throw WebProblem(404, "there is no rule named \"\(name)\"")
        }
        return .json(RulesJSON.value(try ruleEditing.change(change, isTemporary: isTemporary)))
    }

    /// Counts the stored exchanges that a filter matches, or any rule of the text of a file.
    private func test(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object(["filter", "text"])
        let rules = try members.text("text")
        guard rules == nil || members["filter"] == nil else {
            throw WebProblem(400, "give filter or text, not both")
        }
        let text = try rules.map(condition) ?? members.requiredText("filter")
        let filter = try Filter.parse(text, now: services.now())
        let (matched, all) = try store.read(for: request) {
            (reader) throws(StoreError) -> (Int64, Int64) in
            (try reader.count(matching: filter), try reader.exchangeCount())
        }
        return .json(.members([("matched", .integer(matched)), ("examined", .integer(all))]))
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
