internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// An exchange at a glance: heads, decoded parameters, timings and the start of each body.
struct ExchangeBrief {
    enum Part: String, CaseIterable {
        case overview, request, response
    }

    fileprivate static let bodyByteCountMax = 4 << 10
    private static let binaryByteCountMax = 256

    private let exchange: AgentExchange

    init(_ exchange: AgentExchange) { self.exchange = exchange }

    func members(_ parts: Set<Part>) -> [(String, JSONValue)] {
        let row = exchange.row
        var members = [("id", JSONValue.string(row.idText))]
        if parts.contains(.overview) {
            members += [("overview", .members(BriefRow.members(row)))] + facts
        }
        if parts.contains(.request) { members.append(("request", request)) }
        if parts.contains(.response) { members.append(("response", response)) }
        if !exchange.captured.leftOut.isEmpty {
            members.append(("left_out", .strings(exchange.captured.leftOut)))
        }
        return members
    }

    /// What `members` may contain.
    static var resultMembers: [(String, ToolResult)] {
        let part = ToolResult.members([
            ("name", .textOrNull), ("filename", .textOrNull), ("content_type", .textOrNull),
            ("bytes", .integer),
        ])
        let body = ToolResult.members(
            [("transferred_bytes", .integer), ("content_type", .textOrNull), ("left_out?", .text)]
                + ToolResult.missing + ToolResult.piece.dropLast()
                + [("next_offset?", .orNull(.integer))])
        let message: [(String, ToolResult)] = [
            ("headers", .pairs), ("body", body), ("trailers?", .pairs), ("sent_instead?", .record),
        ]
        let request: [(String, ToolResult)] = [
            ("start_line", .textOrNull), ("query?", .pairs), ("form?", .pairs),
            ("multipart?", .list(part)),
        ]
        return [
            ("id", .text), ("overview?", .row), ("timeline?", .record),
            ("applied_rules?", .appliedRules), ("upgraded_to?", .text), ("http2?", .record),
            ("listener?", .text), ("mode?", .text), ("upstream?", .text),
            ("original_address?", .text), ("proxy_protocol_peer?", .text),
            ("client_certificate?", .record), ("request?", .members(request + message)),
            ("response?", .orNull(.members([("status_line", .text)] + message))),
            ("left_out?", .texts),
        ]
    }

    /// Timings, rules, how the client connected and what is special, as `show --json` has them.
    private var facts: [(String, JSONValue)] {
        var bare = exchange.exchange
        bare.request.body = Body()
        bare.response?.body = Body()
        let wanted: Set<String> = [
            "timeline", "applied_rules", "upgraded_to", "http2", "listener", "mode", "upstream",
            "original_address", "proxy_protocol_peer", "client_certificate",
        ]
        return ExchangeJSON.value(exchange.row, bare).members.compactMap {
            guard wanted.contains($0.name), $0.value != .null, $0.value != .array([]) else {
                return nil
            }
            return ($0.name, $0.value)
        }
    }

    private var request: JSONValue {
        let request = exchange.exchange.request
        let content = exchange.content(.request)
        let query = request.url?.query.map { BodyContent.pairs(Array($0), ByteText()) } ?? []
        var members: [(String, JSONValue)] = [
            ("start_line", .text(request.head?.startLineText)),
            ("headers", ExchangeBrief.pairs(request.head?.fields)),
        ]
        if !query.isEmpty { members.append(("query", .pairs(query))) }
        if let form = content.form { members.append(("form", .pairs(form))) }
        if let parts = content.parts {
            members.append(("multipart", .array(parts.map(ExchangeBrief.value))))
        }
        members.append(("body", body(.request, content)))
        if let trailers = request.trailers {
            members.append(("trailers", ExchangeBrief.pairs(trailers)))
        }
        members += ExchangeBrief.sent(SentJSON.value(request.withShortSentBody))
        return .members(members)
    }

    private var response: JSONValue {
        guard let response = exchange.exchange.response else { return .null }
        var members: [(String, JSONValue)] = [
            ("status_line", .string(response.head.statusLineText)),
            ("headers", ExchangeBrief.pairs(response.head.fields)),
            ("body", body(.response, exchange.content(.response))),
        ]
        if let trailers = response.trailers {
            members.append(("trailers", ExchangeBrief.pairs(trailers)))
        }
        members += ExchangeBrief.sent(SentJSON.value(response.withShortSentBody))
        return .members(members)
    }

    /// What was forwarded instead, if rules changed the message.
    private static func sent(_ value: JSONValue) -> [(String, JSONValue)] {
        value == .null ? [] : [("sent_instead", value)]
    }

    private static func pairs(_ fields: HeaderFields?) -> JSONValue {
        .array(fields.map(ExchangeJSON.pairs) ?? [])
    }

    private static func value(_ part: BodyContent.Part) -> JSONValue {
        .members([
            ("name", .text(part.name)), ("filename", .text(part.filename)),
            ("content_type", .text(part.contentType)), ("bytes", .integer(part.byteCount)),
        ])
    }

    private func body(_ side: StoredMessage, _ content: BodyContent) -> JSONValue {
        let byteCount =
            content.text == nil ? ExchangeBrief.binaryByteCountMax : ExchangeBrief.bodyByteCountMax
        var members: [(String, JSONValue)] = [
            ("transferred_bytes", .integer(content.body.byteCount)),
            ("content_type", .text(content.contentType)),
        ]
        if exchange.isBodyLeftOut(side) {
            members.append(("left_out", .string("it could not be searched for credentials")))
        } else {
            members += exchange.missing(side)
            members += BodyPieces(content).members(from: 0, byteCount: byteCount, shown: { $0 })
        }
        return .members(members)
    }
}

extension Request {
    fileprivate var withShortSentBody: Request {
        var request = self
        request.sentBody?.shorten()
        return request
    }
}

extension Response {
    fileprivate var withShortSentBody: Response {
        var response = self
        response.sentBody?.shorten()
        return response
    }
}

extension Body {
    fileprivate mutating func shorten() {
        kept.removeLast(max(0, kept.count - ExchangeBrief.bodyByteCountMax))
    }
}
