internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

extension ScriptQuestion {
    /// Returns the question as a line of JSON, including the line feed.
    ///
    /// ```json
    /// {"v":1,"id":7,"exchange":41,"rule":"sign","phase":"request","method":"POST",
    ///  "url":"http://…","headers":[["Host","a"]],"body":"<base64>"}
    /// ```
    /// A response also has `status`, `reason` and `request_headers`.
    public func line(id: Int) -> [UInt8] {
        var members: [(String, JSONValue)] = [
            ("v", .number("1")), ("id", .number(String(id))),
            ("exchange", .number(String(exchange.rawValue))), ("rule", .string(point.rule)),
            ("phase", .string(phase.rawValue)),
        ]
        let fields: HeaderFields
        switch content {
        case .request(let request, _):
            members += ScriptQuestion.members(of: request)
            fields = request.head.fields
            members.append(("headers", ScriptQuestion.lines(of: fields)))
        case .response(let response, _, let request):
            members += ScriptQuestion.members(of: request)
            members.append(("request_headers", ScriptQuestion.lines(of: request.head.fields)))
            members.append(("status", .number(String(response.head.status))))
            members.append(("reason", .string(response.head.reason)))
            fields = response.head.fields
            members.append(("headers", ScriptQuestion.lines(of: fields)))
        }
        if point.call.sendsBody { members += bodyMembers(fields) }
        let object = JSONValue.object(members.map { .init(name: $0.0, value: $0.1) })
        // The object's numbers are valid and it is not nested deeply, so writing cannot fail.
        return ((try? JSONWriter().write(object)) ?? []) + [0x0A]
    }

    private static func members(of request: ForwardedRequest) -> [(String, JSONValue)] {
        [
            ("method", .string(request.head.method.rawValue)),
            ("url", .string(request.url.description)),
        ]
    }

    private static func lines(of fields: HeaderFields) -> JSONValue {
        .array(fields.pairs.map { .array([.string($0.name), .string($0.value)]) })
    }

    /// The body with its content codings removed, as edits see it, or the reason why it is missing.
    private func bodyMembers(_ fields: HeaderFields) -> [(String, JSONValue)] {
        guard let bytes = body.bytes else {
            let reason = body.unseen ?? .tooLarge
            return [("body", .null), ("body_problem", .string(reason.reason))]
        }
        let decoded = BodyEditor.decoded(bytes, fields)
        guard decoded.failure == nil else {
            let reason = EditResult.NotDone.unreadableBody
            return [("body", .null), ("body_problem", .string(reason.reason))]
        }
        return [("body", .string(Base64.text(decoded.bytes)))]
    }

    /// The members of a question, which an answer may repeat.
    static let memberNames: Set<String> = [
        "v", "id", "exchange", "rule", "phase", "method", "url", "status", "reason", "headers",
        "request_headers", "body", "body_problem",
    ]
}
