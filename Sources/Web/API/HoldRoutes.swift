internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydWebServer
internal import ProxydHTTPModel

/// Routes for messages that rules hold.
struct HoldRoutes: Sendable {
    let services: WebServices

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/holds") { _ in
            let facts = services.actions.inspecting?.facts()
            return .json(
                .members([
                    ("taking", .bool(facts?.isTakingHolds ?? false)),
                    ("holds", .array((facts?.holds ?? []).map(value))),
                ]))
        }
        router.add(.post, "/api/v1/holds/take") { request in
            let members = try request.object(["on"])
            let isOn = try WebFailure.explaining { try members.requiredBool("on") }
            try WebFailure.explaining { try holding().take(isOn) }
            return .json(.members([("taking", .bool(isOn))]))
        }
        router.add(.post, "/api/v1/holds/resume-all") { request in
            _ = try request.object([])
            let count = try WebFailure.explaining { try holding().resumeAll() }
            return .json(.members([("resumed", .integer(count))]))
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

    private func holding() throws(WebProblem) -> any Holding {
        guard let holding = services.actions.holding else {
            throw WebProblem(403, "this store holds nothing")
        }
        return holding
    }

    private func open(_ request: WebRequest) throws -> any OpenedHold {
        guard let number = Int64(request.segment("hold")) else {
            throw WebProblem(404, "there is no hold \(request.segment("hold"))")
        }
        return try WebFailure.explaining { try holding().open(number) }
    }

    private func decide(_ request: WebRequest) throws -> WebResponse {
        let decision = request.segment("decision")
        guard ["resume", "answer", "drop"].contains(decision) else {
            throw WebProblem(404, "a hold takes resume, answer or drop")
        }
        let members = try request.object(decision == "drop" ? [] : ["head", "body_text"])
        let (head, text) = try WebFailure.explaining {
            (
                try members.text("head").map { Array($0.utf8) },
                try members.text("body_text").map { Array($0.utf8) }
            )
        }
        let hold = try open(request)
        try WebFailure.explaining {
            switch decision {
            case "resume":
                let content = try text.map { try hold.bytes(ofText: $0, head: head) }
                try hold.resume(head: head, content: content)
            case "answer":
                guard let head else { throw WebProblem(400, "head is missing") }
                let content = try HeldHead.bytes(ofText: text ?? [], head: head)
                try hold.answer(head: head, content: content)
            default: try hold.drop()
            }
        }
        return .json(.members([("done", .bool(true))]))
    }

    private func value(_ facts: HeldFacts) -> JSONValue {
        .members([
            ("hold", .integer(facts.hold)), ("exchange", .string("\(facts.exchange)")),
            ("phase", .string(facts.isRequest ? "request" : "response")),
            ("rule", .string(facts.rule)), ("method", .string(facts.method)),
            ("url", .string(facts.url)), ("status", .integer(facts.status)),
            ("since", SummaryJSON.moment(facts.since)),
            ("deadline", SummaryJSON.moment(facts.deadline)), ("claimed_by", .text(facts.openedBy)),
        ])
    }
}
