internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydRules
internal import ProxydWebServer

/// The parameters that routes have in common. Each throws a 400 that names the parameter.
extension WebRequest {
    /// The filter that the parameter `filter` contains; without it, one that matches everything.
    func filter(now: Int64) throws(FilterError) -> Filter {
        try Filter.parse(parameter("filter") ?? "", now: now)
    }

    /// The filter in one of several parameters for filters.
    func filter(_ name: String, now: Int64) throws(WebProblem) -> Filter {
        do throws(FilterError) {
            return try Filter.parse(parameter(name) ?? "", now: now)
        } catch {
            throw WebProblem(400, "\(name), column \(error.column): \(error.message)")
        }
    }

    /// A whole number in a parameter, limited to a range; nil if it is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws(WebProblem) -> Int? {
        guard let text = parameter(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw WebProblem(
                400, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A boolean parameter: `true` or `false`; nil if it is absent.
    func flag(_ name: String) throws(WebProblem) -> Bool? {
        switch parameter(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw WebProblem(400, "\(name) must be true or false")
        }
    }

    /// The members of the JSON object in the body. An empty body is an empty object.
    /// - Parameter known: The members that it may have; others are refused.
    func object(_ known: [String]) throws -> BodyMembers { try BodyMembers(object(), known: known) }

    private func object() throws(WebProblem) -> [String: JSONValue] {
        guard !body.isEmpty else { return [:] }
        let type = fields["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("application/json") else {
            throw WebProblem(415, "the body must be application/json")
        }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONReader().read(body)
        } catch {
            throw WebProblem(400, "the body is not JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw WebProblem(400, "the body must be a JSON object")
        }
        return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}

extension WebResponse {
    static func json(_ value: JSONValue, status: Int = 200) -> WebResponse {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return WebResponse(status: status, type: "application/json", bytes)
    }

    /// A response with captured bytes, which no browser may interpret.
    static func attachment(_ name: String, _ body: WebResponse.Body) -> WebResponse {
        WebResponse(
            fields: [
                ("Content-Type", "application/octet-stream"),
                ("Content-Disposition", "attachment; filename=\"\(name)\""),
                PageRoutes.capturedPolicy,
            ], body: body)
    }
}

/// Reads for requests of clients.
extension SharedReader {
    /// Reads the store for a request; the read ends when the client leaves.
    func read<Value>(
        for request: WebRequest, _ body: (any ExchangeReading) throws(StoreError) -> Value
    ) throws -> Value {
        let cancellation = ReadCancellation()
        request.cancellation.onCancel { cancellation.cancel() }
        return try read(cancellation, body)
    }

    /// The exchange that the route's segment `id` names.
    func exchangeID(of request: WebRequest) throws -> ExchangeID {
        let name = request.segment("id")
        guard let id = try exchangeID(named: name, for: request), id.rawValue > 0 else {
            throw WebProblem(404, "there is no exchange \(name)")
        }
        return id
    }

    /// The exchange of a name that a client sent; nil if the store cannot have one of that name.
    func exchangeID(named name: String, for request: WebRequest) throws -> ExchangeID? {
        try read(for: request) { (reader) throws(StoreError) in
            try reader.exchangeID(named: name)
        }
    }

    func name(of id: ExchangeID, for request: WebRequest) throws -> String {
        try read(for: request) { (reader) throws(StoreError) in try reader.name(of: id) }
    }
}

/// Turns errors into problems that say whose fault it is.
enum WebFailure {
    /// A filter with a mistake is the request's fault (400), as is a rule that is refused (422). A
    /// file that was changed meanwhile is a conflict (409), and a message that is not held is
    /// missing (404). Everything else is answered 502 with the error's message.
    static func problem(_ error: any Error) -> WebProblem {
        switch error {
        case let problem as AnswerProblem: WebProblem(problem)
        case let error as FilterError: WebProblem(400, error.message, column: error.column)
        case let mistake as MockMatching.Mistake: WebProblem(400, mistake.message)
        case let refusal as RuleRefusal:
            WebProblem(refusal.reason == .rules ? 422 : 409, refusal.description)
        case let refusal as ImportRefusal: WebProblem(422, refusal.description)
        case let problem as HoldProblem: WebProblem(status(of: problem), problem.description)
        default: WebProblem(502, "\(error)")
        }
    }

    private static func status(of problem: HoldProblem) -> Int {
        switch problem.kind {
        case .notHeld: 404
        case .taken: 409
        case .badEdit: 422
        }
    }
}

extension WebProblem {
    init(_ problem: AnswerProblem) {
        let status =
            switch problem.kind {
            case .invalid: 400
            case .missing: 404
            case .conflict: 409
            case .cancelled: 499
            case .unavailable: 503
            }
        self.init(status, problem.description, column: problem.column)
    }
}
