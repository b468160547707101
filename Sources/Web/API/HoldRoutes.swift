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
            guard case .bool(let isOn)? = try request.object()["on"] else {
                throw WebProblem(400, "on must be true or false")
            }
            try WebFailure.explaining { try holding().take(isOn) }
            return .json(.members([("taking", .bool(isOn))]))
        }
        router.add(.post, "/api/v1/holds/resume-all") { _ in
            let count = try WebFailure.explaining { try holding().resumeAll() }
            return .json(.members([("resumed", .integer(count))]))
        }
        router.add(.get, "/api/v1/holds/{hold}") { request in
            let hold = try open(request)
            let content = hold.content.map { String(decoding: $0, as: UTF8.self) }
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
        let members = try request.object()
        let (head, content) = (try bytes("head", members), try bytes("body_text", members))
        let hold = try open(request)
        try WebFailure.explaining {
            switch request.segment("decision") {
            case "resume": try hold.resume(head: head, content: content)
            case "answer":
                guard let head else { throw WebProblem(400, "head is missing") }
                try hold.answer(head: head, content: content ?? [])
            case "drop": try hold.drop()
            default: throw WebProblem(404, "a hold takes resume, answer or drop")
            }
        }
        return .json(.members([("done", .bool(true))]))
    }

    private func bytes(
        _ name: String, _ members: [String: JSONValue]
    ) throws(WebProblem) -> [UInt8]? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let text): return Array(text.utf8)
        default: throw WebProblem(400, "\(name) must be a text")
        }
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
