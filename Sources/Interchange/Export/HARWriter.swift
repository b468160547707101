public import ProxydCaptureModel
internal import ProxydCivilTime
public import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Writes HAR 1.2: one document, entry by entry.
public struct HARWriter: ExchangeWriting {
    private let version: String
    private let comment: String?
    private var isFirst = true
    private var hasMessages = false

    public init(version: String, comment: String? = nil) {
        self.version = version
        self.comment = comment
    }

    public mutating func beginning() -> [UInt8] {
        let creator = JSONValue.members([
            ("name", .string("proxyd")), ("version", .string(version)),
        ])
        var bytes = Array(#"{"log":{"version":"1.2","creator":"#.utf8)
        JSONText.write(creator, into: &bytes)
        if let comment {
            bytes += #","comment":"#.utf8
            JSONText.write(.string(comment), into: &bytes)
        }
        return bytes + Array(#","entries":["#.utf8)
    }

    /// An entry on a line of its own, up to its last member.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var bytes: [UInt8] = isFirst ? [0x0A] : [0x2C, 0x0A]
        isFirst = false
        hasMessages = false
        JSONText.write(HAREntry.value(captured), into: &bytes)
        bytes.removeLast()
        return bytes
    }

    /// Elements of `_webSocketMessages`.
    public mutating func bytes(
        of messages: [ExportedMessage], in captured: CapturedExchange
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages {
            guard let value = HARMessage.value(message, captured.row) else { continue }
            bytes += hasMessages ? Array(",".utf8) : Array(#","\#(HARMessage.memberName)":["#.utf8)
            hasMessages = true
            JSONText.write(value, into: &bytes)
        }
        return bytes
    }

    public mutating func closing() -> [UInt8] { Array(hasMessages ? "]}".utf8 : "}".utf8) }

    /// Returns true for WebSockets: HAR has no place for other messages.
    public func includesMessages(of exchange: CapturedExchange) -> Bool {
        exchange.row.spokenProtocol == .webSocket
    }

    public mutating func ending() -> [UInt8] { Array("\n]}}\n".utf8) }
}

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
            members.append((AppliedRuleJSON.harName, AppliedRuleJSON.value(exchange.appliedRules)))
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

    /// The body of the server's response if the entry's own members do not contain it.
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

/// The phases of an exchange as HAR defines them, in microseconds and consecutive: `time` is their
/// sum. nil is written as -1, "does not apply"; `send`, `wait` and `receive` are required.
struct HARTimings {
    /// Includes the time that messages were held.
    private let blocked: Int64?
    private let held: Int64?
    private let dns: Int64?
    /// Includes TLS, as HAR requires.
    private let connect: Int64?
    private let ssl: Int64?
    private let send: Int64
    private let wait: Int64
    private let receive: Int64

    init(_ exchange: Exchange) {
        let timeline = exchange.timeline
        held = exchange.heldNs.flatMap { $0 > 0 ? HARTimings.microseconds($0) : nil }
        blocked = HARTimings.blocked(exchange)
        dns = HARTimings.microseconds(timeline.dns)
        ssl = HARTimings.microseconds(timeline.tls)
        let tcp = HARTimings.microseconds(timeline.connect)
        connect = tcp.map { $0 &+ (HARTimings.microseconds(timeline.tls) ?? 0) }
        receive = HARTimings.microseconds(timeline.receive) ?? 0
        if let sent = timeline[.sendEnd], let first = timeline[.responseFirstByte], sent > first {
            // The answer came before the request was complete: phases must not count twice.
            let untilAnswer = timeline.duration(from: .sendStart, to: .responseFirstByte)
            send = HARTimings.microseconds(untilAnswer) ?? 0
            wait = 0
        } else {
            send = HARTimings.microseconds(timeline.send) ?? 0
            wait = HARTimings.microseconds(timeline.wait) ?? 0
        }
    }

    /// A request is held before a server is connected to, within this phase if there is one; a
    /// response after all phases. Time outside this phase is added.
    private static func blocked(_ exchange: Exchange) -> Int64? {
        let known = microseconds(exchange.timeline.blocked)
        let holds = exchange.appliedRules.filter { known == nil || $0.phase == .response }
            .compactMap(\.hold)
        guard !holds.isEmpty else { return known }
        return (known ?? 0) &+ (microseconds(holds.reduce(0) { $0 &+ $1.durationNs }) ?? 0)
    }

    var totalUs: Int64 {
        [blocked, dns, connect, send, wait, receive].reduce(0) { $0 &+ ($1 ?? 0) }
    }

    var value: JSONValue {
        let phases = [
            ("blocked", HARTimings.milliseconds(blocked)),
            ("dns", HARTimings.milliseconds(dns)),
            ("connect", HARTimings.milliseconds(connect)),
            ("send", HARTimings.milliseconds(send)),
            ("wait", HARTimings.milliseconds(wait)),
            ("receive", HARTimings.milliseconds(receive)),
            ("ssl", HARTimings.milliseconds(ssl)),
        ]
        return .members(phases + (held.map { [("_held", HARTimings.milliseconds($0))] } ?? []))
    }

    static func milliseconds(_ microseconds: Int64?) -> JSONValue {
        guard let microseconds else { return .number("-1") }
        return .milliseconds(Nanoseconds.clamping(microseconds: microseconds))
    }

    private static func microseconds(_ nanoseconds: Int64?) -> Int64? {
        // A damaged store may contain any number; the limit still fits a century.
        nanoseconds.map { (min(max(0, $0), Int64.max / 4) &+ 500) / 1_000 }
    }
}

/// A WebSocket message as Chrome's developer tools write it, an element of `_webSocketMessages`:
/// `type`, `time`, `opcode` and `data`, which is text or base64. Details that Chrome does not
/// record follow, if they differ from the default.
enum HARMessage {
    static let memberName = "_webSocketMessages"

    /// The element; nil for messages that do not belong to a WebSocket.
    static func value(_ message: ExportedMessage, _ exchange: ExchangeRow) -> JSONValue? {
        let row = message.row
        guard isOfWebSocket(row.kind) else { return nil }
        var members: [(String, JSONValue)] = [
            ("type", .string(row.direction == .toServer ? "send" : "receive")),
            ("time", seconds(row.atNs)), ("opcode", .integer(row.kind.rawValue)),
        ]
        let text = row.kind == .text ? String(validating: row.bytes, as: UTF8.self) : nil
        members.append(("data", .string(text ?? Base64.text(row.bytes))))
        if row.kind == .text, text == nil { members.append(("_encoding", .string("base64"))) }
        members.append(("_offset_ns", .integer(row.atNs &- exchange.startedAtNs)))
        if row.byteCount != Int64(row.bytes.count) {
            members.append(("_bytes", .integer(row.byteCount)))
        }
        if row.wireByteCount != row.byteCount {
            members.append(("_wire_bytes", .integer(row.wireByteCount)))
        }
        if !row.flags.isEmpty { members.append(("_flags", .integer(row.flags.rawValue))) }
        if let problem = row.problem { members.append(("_problem", .string(problem))) }
        if message.isLeftOut { members.append(("_left_out", .bool(true))) }
        return .members(members)
    }

    static func isOfWebSocket(_ kind: MessageRecord.Kind) -> Bool {
        switch kind {
        case .text, .binary, .close, .ping, .pong: true
        case .grpc, .trailers, .event, .comment, .invalid: false
        }
    }

    /// Seconds since 1970, with microsecond precision.
    private static func seconds(_ nanoseconds: Int64) -> JSONValue {
        let micros = max(0, nanoseconds) / 1_000
        return .number("\(micros / 1_000_000).\((micros % 1_000_000).zeroPadded(to: 6))")
    }
}
