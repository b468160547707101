internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Converts an exchange to an entry of a HAR log.
enum HAREntry {
    /// The URL of a request whose own could not be parsed: HAR requires one.
    static let unreadableURL = "about:invalid"

    static func value(_ captured: CapturedExchange) -> JSONValue {
        let exchange = captured.exchange
        let requestBody = HARBody(exchange.request.body, exchange.request.head?.fields)
        let delivered = exchange.response?.delivered
        let responseBody = delivered.map { HARBody($0.body, $0.head.fields) }
        let timings = HARTimings(exchange)
        var members: [(String, JSONValue)] = [
            ("startedDateTime", .string(captured.row.startedAt)),
            ("time", HARTimings.milliseconds(timings.totalUs)),
            ("request", request(captured, requestBody)),
            ("response", delivered.map { response($0, responseBody) } ?? noResponse(captured)),
            ("cache", .object([])),
            ("timings", timings.value),
        ]
        if let address = serverIPAddress(exchange.server) {
            members.append(("serverIPAddress", .string(address)))
        }
        if let leg = exchange.server ?? exchange.client {
            members.append(("connection", .string("\(leg.id)")))
        }
        if let http2 = exchange.http2 {
            members.append(("_stream", .integer(http2.clientStream?.rawValue)))
            members.append(("_reset", .text(http2.reset.map { "\($0.code)" })))
        }
        if let received = exchange.response, received.isChanged {
            let body = HARBody(received.body, received.head.fields)
            members.append(("_received", response(received, body)))
        }
        if !exchange.appliedRules.isEmpty {
            members.append(
                (AppliedRuleJSON.harName, AppliedRuleJSON.value(exchange.appliedRules)))
        }
        members += RouteJSON.harMembers(exchange)
        if let note = exchange.annotations.note { members.append(("comment", .string(note))) }
        members.append(
            (
                CaptureDetails.name,
                CaptureDetails.value(
                    captured, requestBody: requestBody.unrestorable,
                    responseBody: receivedBody(exchange, delivered: responseBody),
                    fault: exchange.responseFault)
            ))
        return .members(members)
    }

    /// The body of the server's response, where the entry's own members do not have it.
    private static func receivedBody(_ exchange: Exchange, delivered: HARBody?) -> [UInt8]? {
        guard let response = exchange.response else { return nil }
        let isOther = response.isWithheld || response.sentBody != nil
        return isOther ? response.body.kept : delivered?.unrestorable
    }

    // MARK: Messages

    private static func request(_ captured: CapturedExchange, _ body: HARBody) -> JSONValue {
        let (request, row) = (captured.exchange.request, captured.row)
        let headByteCount = request.head?.bytes.count ?? captured.malformedHead?.count
        var members: [(String, JSONValue)] = [
            ("method", .string(opensWebSocket(captured) ? "GET" : row.method ?? "")),
            ("url", .string(url(captured))),
            ("httpVersion", .string(row.httpVersion ?? "")),
            ("cookies", .array(HARCookie.requestCookies(request.head?.fields))),
            ("headers", headers(request.head?.fields)),
            ("queryString", queryString(request.url)),
            ("headersSize", .integer(headByteCount ?? -1)),
            ("bodySize", .integer(request.body.byteCount)),
        ]
        let isRelayed = captured.exchange.upgradedTo != nil && request.body.kept.isEmpty
        if !isRelayed, let data = body.postData { members.insert(("postData", data), at: 6) }
        return .members(members)
    }

    /// The URL in the form that browsers write; a WebSocket has the URL that the page uses.
    private static func url(_ captured: CapturedExchange) -> String {
        guard let url = captured.row.url else { return unreadableURL }
        let isWebSocket = captured.row.upgradedTo == "websocket" || opensWebSocket(captured)
        return isWebSocket && url.hasPrefix("http") ? "ws" + url.dropFirst(4) : url
    }

    /// Whether the request opens a WebSocket on a stream (RFC 8441): browsers write GET.
    private static func opensWebSocket(_ captured: CapturedExchange) -> Bool {
        captured.exchange.request.head?.connectProtocol?.lowercased() == "websocket"
    }

    private static func response(_ response: Response, _ body: HARBody?) -> JSONValue {
        let fields = response.head.fields
        return .members([
            ("status", .integer(response.status)),
            ("statusText", .string(response.head.reason)),
            ("httpVersion", .string("\(response.head.version)")),
            ("cookies", .array(HARCookie.responseCookies(fields))),
            ("headers", headers(fields)),
            ("content", body?.responseContent ?? .null),
            ("redirectURL", .string(fields["Location"] ?? "")),
            ("headersSize", .integer(response.head.bytes.count)),
            ("bodySize", .integer(response.body.byteCount)),
        ])
    }

    /// What browsers write if no response was received: status 0 and the error.
    private static func noResponse(_ captured: CapturedExchange) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("status", .integer(0)), ("statusText", .string("")), ("httpVersion", .string("")),
            ("cookies", .array([])), ("headers", .array([])),
            ("content", .members([("size", .integer(0)), ("mimeType", .string(""))])),
            ("redirectURL", .string("")), ("headersSize", .integer(-1)),
            ("bodySize", .integer(-1)),
        ]
        if let error = captured.row.error { members.append(("_error", .string(error))) }
        return .members(members)
    }

    // MARK: Parts

    private static func headers(_ fields: HeaderFields?) -> JSONValue {
        .array((fields?.pairs ?? []).map { pair($0.name, $0.value) })
    }

    private static func queryString(_ url: RawURL?) -> JSONValue {
        let pairs = url?.query.map { BodyContent.pairs(Array($0), ByteText()) } ?? []
        return .array(pairs.map { pair($0.0, $0.1 ?? "") })
    }

    private static func pair(_ name: String, _ value: String) -> JSONValue {
        .members([("name", .string(name)), ("value", .string(value))])
    }

    /// The address without its port and brackets.
    private static func serverIPAddress(_ server: ConnectionRecord?) -> String? {
        guard let address = server?.peerAddress, let colon = address.lastIndex(of: ":") else {
            return nil
        }
        let host = address[..<colon].drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" }
        return host.isEmpty ? nil : String(host)
    }
}
