internal import ProxydExchangeContent
package import ProxydHTTPModel
package import ProxydParameterCoding

/// The member `sent` of a message: what was forwarded if it differs from what was received;
/// otherwise null.
package enum SentJSON {
    package static func value(_ request: Request) -> JSONValue {
        guard let head = request.sentHead ?? request.head,
            request.sentHead != nil || request.sentBody != nil
        else { return .null }
        return value(
            [
                ("start_line", .string(head.startLineText)),
                ("authority", head.authority.map { .string($0) } ?? .null),
            ], head.fields, request.sentBody ?? request.body)
    }

    package static func value(_ response: Response) -> JSONValue {
        guard response.sentHead != nil || response.sentBody != nil else { return .null }
        let head = response.sentHead ?? response.head
        return value(
            [("start_line", .string(head.statusLineText))], head.fields,
            response.sentBody ?? response.body)
    }

    private static func value(
        _ start: [(String, JSONValue)], _ fields: HeaderFields, _ body: Body
    ) -> JSONValue {
        .members(
            start + [
                ("headers", .array(ExchangeJSON.pairs(fields))),
                ("body_bytes", .integer(body.byteCount)),
            ] + ExchangeJSON.bodyMembers(BodyContent(body, fields)))
    }
}
