internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads lines of `show --json` and of exports.
enum JSONLinesImport {
    static func exchange(_ line: JSONValue) throws(ImportProblem) -> ImportedExchange {
        guard case .object = line else { throw ImportProblem("it is not an object") }
        guard let request = line["request"] else { throw ImportProblem("it has no request") }
        let details = ImportDetails(line, versions: [line["http_version"]])
        var marks: ImportMarks = []
        let (startedAt, timing) = details.start(line["started_at"], &marks)
        let sent = try self.request(line, request, details, &marks)
        // There is no status if nothing of the server's response was forwarded.
        let isRefused = line["response"]?["refused"] != nil && line["status"]?.integer == nil
        let answer = isRefused ? nil : line["response"]
        let response = try answer.flatMap { value throws(ImportProblem) in
            try self.response(line, value, details, &marks)
        }
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: sent, response: response,
            timeline: timing ?? timeline(line, startedAt, hasResponse: response != nil))
        exchange.client = client(line, startedAt)
        exchange.server = server(line, startedAt)
        exchange.failure = failure(line["error"]?.text)
        details.complete(&exchange, state: line["state"]?.text, outer: line)
        exchange.appliedRules = AppliedRuleJSON.rules(line["applied_rules"])
        RouteJSON.take(line, into: &exchange)
        marks.apply(to: &exchange)
        return try ImportedExchange(
            sourceID: ExchangeNameJSON.number(line["id"]), exchange: exchange,
            malformedHead: details.malformedHead, grpcStatus: line["grpc_status"]?.integer
        ).checked()
    }

    // MARK: Messages

    private static func request(
        _ line: JSONValue, _ value: JSONValue, _ details: ImportDetails, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Request {
        let method = HTTPMethod(rawValue: line["method"]?.text ?? "")
        let url = line["url"]?.text.flatMap { try? ImportURL.parse($0, method: method) }
        var fields = ImportFields(pairs: value["headers"]?.elements ?? [], &marks)
        let body = self.body(value, details, "request", &fields, &marks)
        let hasHead = line["method"]?.text != nil && !(value["headers"]?.elements ?? []).isEmpty
        guard !details.isMalformed, details.capture != nil || hasHead else {
            return Request(url: url, head: nil, body: body)
        }
        guard let url else { throw ImportProblem("its URL is not an http or https one") }
        if let head = details.requestHead { return Request(url: url, head: head, body: body) }
        let head = try fields.requestHead(
            method: method, url: url, version: line["http_version"]?.text)
        return Request(url: url, head: head, body: body)
    }

    private static func response(
        _ line: JSONValue, _ value: JSONValue, _ details: ImportDetails, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Response {
        var fields = ImportFields(pairs: value["headers"]?.elements ?? [], &marks)
        let body = self.body(value, details, "response", &fields, &marks)
        let composed = fields.responseHead(
            status: line["status"]?.integer ?? 0, reason: line["reason"]?.text,
            version: details.sharedVersion)
        return try details.response(composed, body)
    }

    private static func body(
        _ value: JSONValue, _ details: ImportDetails, _ name: String, _ fields: inout ImportFields,
        _ marks: inout ImportMarks
    ) -> Body {
        let byteCount = value["body_bytes"]?.integer
        if let kept = details.body(name) { return ImportBody.body(kept, byteCount: byteCount) }
        if let text = value["body_text"]?.text {
            guard details.capture == nil else {
                return ImportBody.body(Array(text.utf8), byteCount: byteCount)
            }
            let kept = ImportBody.bytes(
                text, contentType: fields["Content-Type"],
                byteCount: value["body_kept_bytes"]?.integer)
            guard fields["Content-Encoding"] != nil, !kept.isEmpty else {
                return ImportBody.body(kept, byteCount: byteCount)
            }
            fields.describe(decodedByteCount: kept.count)
            let isTruncated = value["body_truncated"]?.bool ?? false
            return ImportBody.body(kept, byteCount: isTruncated ? byteCount : nil)
        }
        guard let base64 = value["body_base64"]?.text else {
            return ImportBody.body([], byteCount: byteCount)
        }
        let kept = ImportBody.base64(base64)
        if kept == nil { marks.insert(.missingBody) }
        return ImportBody.body(kept ?? [], byteCount: byteCount)
    }

    // MARK: Times, places, errors

    private static func timeline(
        _ line: JSONValue, _ startedAt: Int64, hasResponse: Bool
    ) -> Timeline {
        let value = line["timeline"]
        var phases = ImportTimeline(wallStart: startedAt)
        phases.dns = value?["dns_ms"]?.nanoseconds
        phases.connect = value?["connect_ms"]?.nanoseconds
        phases.tls = value?["tls_ms"]?.nanoseconds
        phases.send = value?["send_ms"]?.nanoseconds
        phases.wait = value?["wait_ms"]?.nanoseconds
        phases.receive = value?["receive_ms"]?.nanoseconds
        phases.total = value?["total_duration_ms"]?.nanoseconds ?? line["duration_ms"]?.nanoseconds
        phases.isReused = value?["connection_reused"]?.bool ?? false
        let known = [phases.dns, phases.connect, phases.tls, phases.send, phases.wait]
            .reduce(0) { $0 + ($1 ?? 0) }
        phases.blocked = value?["latency_ms"]?.nanoseconds.map { max(0, $0 - known) }
        return phases.timeline(hasResponse: hasResponse)
    }

    private static func client(_ line: JSONValue, _ startedAt: Int64) -> ConnectionRecord? {
        guard let address = line["client_address"]?.text else { return nil }
        var record = ImportDetails.connection(.client, to: address, at: startedAt)
        if let pid = line["pid"]?.integer.flatMap({ Int32(exactly: $0) }) {
            record.process = .init(pid: pid, name: line["process"]?.text ?? "")
        }
        return record
    }

    private static func server(_ line: JSONValue, _ startedAt: Int64) -> ConnectionRecord? {
        guard let address = line["server_address"]?.text else { return nil }
        var record = ImportDetails.connection(.server, to: address, at: startedAt)
        if let version = line["tls_version"]?.text {
            record.security = .init(version: version, cipher: nil, alpn: nil, serverName: nil)
        }
        return record
    }

    /// `origin kind: message`.
    private static func failure(_ text: String?) -> ExchangeFailure? {
        guard let text else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let words = (parts.first ?? "").split(separator: " ")
        guard words.count == 2, parts.count == 2,
            let origin = ExchangeFailure.Origin(rawValue: String(words[0])),
            let kind = ExchangeFailure.Kind(rawValue: String(words[1]))
        else { return nil }
        return ExchangeFailure(
            origin: origin, kind: kind, message: String(parts[1].drop { $0 == " " }))
    }
}

/// Reads lines with exchanges, and with the messages that follow them.
struct LineReader {
    /// An exchange that may be followed by messages.
    private struct Begun {
        let id: Int64?
        let startedAtNs: Int64
        /// The position of the previous message, or -1 before the first.
        var position: Int64 = -1
    }

    /// The last exchange read; nil if it was invalid.
    private var last: Begun?

    /// Parses a line as an exchange or a message.
    mutating func part(_ element: SplitElement) throws(ImportProblem) -> ImportedPart {
        guard case .bytes(let bytes) = element else { throw ImportProblem.tooLong }
        let value = try InterchangeReader.value(bytes)
        if let id = ExchangeNameJSON.number(value[MessageImport.exchangeName]) {
            guard let last, last.id == id else {
                throw ImportProblem("its message does not follow the exchange it belongs to")
            }
            let message = try MessageImport.line(value, startedAtNs: last.startedAtNs)
            guard message.position > last.position else {
                throw ImportProblem(
                    "its message \(message.position) does not come after \(last.position)")
            }
            self.last?.position = message.position
            return .messages([message])
        }
        last = nil
        let imported = try JSONLinesImport.exchange(value)
        last = Begun(id: imported.sourceID, startedAtNs: imported.exchange.timeline.wallStart)
        return .exchange(imported)
    }
}

/// Reads messages from exports of this program and of others.
enum MessageImport {
    /// The member that marks a line as a message: the number of its exchange.
    static let exchangeName = "message_of"
    /// An upper bound for the position of a message in its exchange.
    private static let positionMax: Int64 = 1 << 28 - 1
    /// The maximum offset from the start of an exchange: a hundred years.
    private static let offsetNsMax: Int64 = 100 * 366 * 86_400 * 1_000_000_000

    /// Reads a line of an export.
    static func line(_ value: JSONValue, startedAtNs: Int64) throws(ImportProblem) -> MessageRecord
    {
        let kind = MessageRecord.Kind.allCases.first { $0.name == value["kind"]?.text }
        let direction = MessageRecord.Direction.allCases.first {
            $0.name == value["direction"]?.text
        }
        guard let kind, let direction else {
            throw ImportProblem("its message has no kind or direction")
        }
        guard let position = value["position"]?.integer, (0...positionMax).contains(position)
        else { throw ImportProblem("its message has no position") }
        let at = value["at"]?.text.flatMap { RFC3339.nanoseconds($0) }
        let bytes = try bytes(value)
        let byteCount = count(value["bytes"]) ?? Int64(bytes.count)
        var content = MessageRecord.Content.bytes(bytes)
        if let start = count(value["body_start"]) { content = .body(start..<start + byteCount) }
        return MessageRecord(
            position: position, direction: direction, kind: kind,
            flags: MessageRecord.Flags(rawValue: value["flags"]?.integer ?? 0),
            offsetNs: try offset(
                value["offset_ns"]?.integer ?? max(0, (at ?? startedAtNs) &- startedAtNs)),
            byteCount: byteCount, wireByteCount: count(value["wire_bytes"]), content: content,
            problem: value["problem"]?.text)
    }

    private static func bytes(_ value: JSONValue) throws(ImportProblem) -> [UInt8] {
        // For events and closing frames the other members do not contain all bytes.
        if let base64 = value["base64"]?.text {
            guard let bytes = Base64.bytes(base64) else {
                throw ImportProblem("its message is not base64")
            }
            return bytes
        }
        if let text = value["text"]?.text { return Array(text.utf8) }
        guard let code = value["code"]?.integer, (0...0xFFFF).contains(code) else { return [] }
        let bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        return bytes + Array((value["reason"]?.text ?? "").utf8)
    }

    /// Reads an element of `_webSocketMessages`.
    static func element(
        _ value: JSONValue, position: Int64, startedAtNs: Int64
    ) throws(ImportProblem) -> MessageRecord {
        let isSent: Bool
        switch value["type"]?.text {
        case "error"?: return try failure(value, position: position, startedAtNs: startedAtNs)
        case "send"?, "request"?: isSent = true
        case "receive"?, "response"?: isSent = false
        default: throw ImportProblem("its message \(position + 1) was neither sent nor received")
        }
        let opcode = value["opcode"]?.integer.flatMap(MessageRecord.Kind.init(rawValue:))
        let kind = opcode.flatMap { HARMessage.isOfWebSocket($0) ? $0 : nil } ?? .text
        let data = value["data"]?.text ?? ""
        let isText = kind == .text && value["_encoding"]?.text != "base64"
        // Some programs write the bytes of other frames as text; they are accepted as such.
        let bytes = isText ? Array(data.utf8) : Base64.bytes(data) ?? Array(data.utf8)
        let byteCount = count(value["_bytes"]) ?? Int64(bytes.count)
        return MessageRecord(
            position: position, direction: isSent ? .toServer : .toClient, kind: kind,
            flags: MessageRecord.Flags(rawValue: value["_flags"]?.integer ?? 0),
            offsetNs: try offset(
                value["_offset_ns"]?.integer ?? offset(value["time"], startedAtNs)),
            byteCount: byteCount, wireByteCount: count(value["_wire_bytes"]),
            content: .bytes(bytes), problem: value["_problem"]?.text)
    }

    /// Chrome writes why a WebSocket failed in the place of a message.
    private static func failure(
        _ value: JSONValue, position: Int64, startedAtNs: Int64
    ) throws(ImportProblem) -> MessageRecord {
        MessageRecord(
            position: position, direction: .toClient, kind: .invalid,
            offsetNs: try offset(offset(value["time"], startedAtNs)), byteCount: 0,
            content: .bytes([]), problem: String((value["data"]?.text ?? "error").prefix(200)))
    }

    /// Checks that an offset from the start is in the valid range.
    private static func offset(_ nanoseconds: Int64) throws(ImportProblem) -> Int64 {
        guard (0...offsetNsMax).contains(nanoseconds) else {
            throw ImportProblem("its message has an impossible time")
        }
        return nanoseconds
    }

    /// A count, or nil if it is out of range.
    private static func count(_ value: JSONValue?) -> Int64? {
        value?.integer.flatMap { (0...Body.byteCountMax).contains($0) ? $0 : nil }
    }

    /// Converts seconds since 1970 to nanoseconds after a start.
    private static func offset(_ seconds: JSONValue?, _ startedAtNs: Int64) -> Int64 {
        guard let seconds = seconds?.number, seconds >= 0, seconds < 9e9 else { return 0 }
        return max(0, Nanoseconds.clamping(microseconds: Int64(seconds * 1e6)) &- startedAtNs)
    }
}
