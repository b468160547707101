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

struct HoldRoutes: Sendable {
    let services: WebServices

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/holds") { _ in
            let facts = services.actions.statusReporting?.facts()
            return .json(
                .members([
                    ("taking", .bool(facts?.isTakingHolds ?? false)),
                    ("holds", .array((facts?.holds ?? []).map(value))),
                ]))
        }
        router.add(.post, "/api/v1/holds/take") { request in
            let members = try request.object(["on"])
            let isOn = try members.requiredBool("on")
            try holdHandling().take(isOn)
            return .json(.members([("taking", .bool(isOn))]))
        }
        router.add(.post, "/api/v1/holds/resume-all") { request in
            _ = try request.object([])
            return .json(.members([("resumed", .integer(try holdHandling().resumeAll()))]))
        }
        router.add(.get, "/api/v1/holds/{hold}") { request in
            let hold = try open(request)
            let content = hold.text.map { String(decoding: $0, as: UTF8.self) }
            return .json(
                .members([
                    ("head", .string(String(decoding: hold.head, as: UTF8.self))),
                    ("body_text", .text(content)), ("untrusted", .bool(true)),
                ]))
        }
        router.add(.post, "/api/v1/holds/{hold}/{decision}", decide)
    }

    private func holdHandling() throws(WebProblem) -> any HoldHandling {
        guard let holdHandling = services.actions.holdHandling else {
            throw WebProblem(403, "this store holds nothing")
        }
        return holdHandling
    }

    private func open(_ request: WebRequest) throws -> any OpenedHold {
        guard let number = Int64(request.segment("hold")) else {
            throw WebProblem(404, "there is no hold \(request.segment("hold"))")
        }
        return try holdHandling().open(number)
    }

    private func decide(_ request: WebRequest) throws -> WebResponse {
        let decision = request.segment("decision")
        guard ["resume", "answer", "drop"].contains(decision) else {
            throw WebProblem(404, "a hold takes resume, answer or drop")
        }
        let members = try request.object(decision == "drop" ? [] : ["head", "body_text"])
        let head = try members.text("head").map { Array($0.utf8) }
        let text = try members.text("body_text").map { Array($0.utf8) }
        let hold = try open(request)
        switch decision {
        case "resume":
            let content = try text.map { try hold.bytes(ofText: $0, head: head) }
            try hold.resume(head: head, content: content)
        case "answer":
            guard let head else { throw WebProblem(400, "head is missing") }
            let content = try HeldContent.bytes(ofText: text ?? [], head: head)
            try hold.answer(head: head, content: content)
        default: try hold.drop()
        }
        return .json(.members([("done", .bool(true))]))
    }

    private func value(_ facts: HoldSummary) -> JSONValue {
        .members([
            ("hold", .integer(facts.hold)), ("exchange", .string("\(facts.exchangeID)")),
            ("phase", .string(facts.phase)),
            ("rule", .string(facts.rule)), ("method", .string(facts.method)),
            ("url", .string(facts.url)), ("status", .integer(facts.status)),
            ("since", SummaryJSON.moment(facts.since)),
            ("deadline", SummaryJSON.moment(facts.deadline)),
            ("claimed_by", .text(facts.claimedBy)),
        ])
    }
}
