internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydWebServer

/// Routes for messages that rules hold.
struct HoldRoutes: Sendable {
    let services: WebServices
    let taking: HoldTaking

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/holds") { _ in
            .json(holds())
        }
        router.add(.put, "/api/v1/holds/intercept", intercept)
        router.add(.post, "/api/v1/holds/take") { request in
            let members = try request.object(["on"])
            let isOn = try members.requiredBool("on")
            _ = try holdHandling()
            try taking.set(isOn)
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

    private func holds() -> JSONValue {
        HoldsJSON.value(services.actions.statusReporting?.facts() ?? StatusFacts())
    }

    /// Holds what a filter matches, without a rule in the file.
    private func intercept(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object(["filter", "request", "response"])
        guard members["filter"] != nil else { throw WebProblem(400, "filter is missing") }
        let intercept = try members.text("filter").map { filter in
            Intercept(
                filter: try Filter.parse(filter, now: services.now()).text,
                holdsRequests: try members.bool("request") ?? true,
                holdsResponses: try members.bool("response") ?? false)
        }
        if let intercept, !intercept.holdsRequests, !intercept.holdsResponses {
            throw WebProblem(400, "one of request and response must be true")
        }
        _ = try holdHandling()
        try taking.set(intercept)
        return .json(holds())
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
}

/// The answer of `/api/v1/holds`, which is also the data of the event `holds`.
enum HoldsJSON {
    static func value(_ facts: StatusFacts) -> JSONValue {
        .members([
            ("taking", .bool(facts.isTakingHolds)), ("holds", .array(facts.holds.map(value))),
            ("intercept", facts.intercept.map(value) ?? .null),
        ])
    }

    private static func value(_ intercept: Intercept) -> JSONValue {
        .members([
            ("filter", .string(intercept.filter)), ("request", .bool(intercept.holdsRequests)),
            ("response", .bool(intercept.holdsResponses)),
        ])
    }

    private static func value(_ facts: HoldSummary) -> JSONValue {
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
