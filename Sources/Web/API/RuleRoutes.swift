internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydWebServer
internal import ProxydHTTPModel

/// Routes for rules.
struct RuleRoutes: Sendable {
    let door: StoreDoor
    let services: WebServices

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/rules") { _ in
            let ruling = try ruling()
            return .json(RulesJSON.value(try WebFailure.explaining { try ruling.rules() }))
        }
        router.add(.get, "/api/v1/rules/file") { _ in
            let ruling = try ruling()
            let text = try WebFailure.explaining { try ruling.fileText() }
            return .json(.members([("text", .string(text))]))
        }
        router.add(.put, "/api/v1/rules/file", write)
        router.add(.post, "/api/v1/rules/test", test)
        router.add(.patch, "/api/v1/rules/{name}", change)
    }

    private func ruling() throws(WebProblem) -> any Ruling {
        guard let ruling = services.actions.ruling else {
            throw WebProblem(403, "this store has no rules")
        }
        return ruling
    }

    /// Writes the file if it still has the text `before`.
    private func write(_ request: WebRequest) throws -> WebResponse {
        let ruling = try ruling()
        let members = try request.object()
        guard case .string(let text)? = members["text"],
            case .string(let before)? = members["before"]
        else { throw WebProblem(400, "text and before must be texts") }
        let report = try WebFailure.explaining { try ruling.write(text, over: before) }
        return .json(RulesJSON.value(report))
    }

    private func change(_ request: WebRequest) throws -> WebResponse {
        let ruling = try ruling()
        let members = try request.object()
        guard case .bool(let isOn)? = members["enabled"] else {
            throw WebProblem(400, "enabled must be true or false")
        }
        var isTemporary = false
        if case .bool(let value)? = members["temporary"] { isTemporary = value }
        let change = RuleChange.switchRule(name: request.segment("name"), isOn: isOn)
        let report = try WebFailure.explaining {
            try ruling.change(change, isTemporary: isTemporary)
        }
        return .json(RulesJSON.value(report))
    }

    /// Counts the stored exchanges that the filter of a rule matches.
    private func test(_ request: WebRequest) throws -> WebResponse {
        let members = try request.object()
        guard case .string(let text)? = members["filter"] else {
            throw WebProblem(400, "filter must be a text")
        }
        let filter: Filter
        do throws(FilterError) {
            filter = try Filter.parse(text, now: services.now())
        } catch {
            throw WebProblem(400, error.message, column: error.column)
        }
        let (matched, all) = try door.read(for: request) {
            (reader) throws(StoreError) -> (Int64, Int64) in
            (try reader.count(matching: filter), try reader.exchangeCount())
        }
        return .json(
            .members([("matched", .integer(matched)), ("examined", .integer(all))]))
    }
}
