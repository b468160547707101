internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydStoreAnswers
internal import ProxydWebServer

/// The parameters that routes have in common. Each throws a 400 that names the parameter.
extension WebRequest {
    /// The filter that the parameter `filter` holds; without it, one that matches everything.
    func filter(now: Int64) throws(WebProblem) -> Filter {
        do throws(FilterError) {
            return try Filter.parse(parameter("filter") ?? "", now: now)
        } catch {
            throw WebProblem(400, error.message, column: error.column)
        }
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
    func object(_ known: [String]) throws(WebProblem) -> BodyMembers {
        let members = try object()
        do throws(AnswerProblem) {
            return try BodyMembers(members, known: known)
        } catch {
            throw WebProblem(error)
        }
    }

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
    /// A response with a JSON value.
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
