internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads transactions of sessions that Charles exported as JSON. Heads are composed, and bodies
/// come without their content coding, as in HAR.
enum CharlesImport {
    static func read(_ bytes: [UInt8], _ take: (ImportedPart) throws -> Void) throws {
        let (value, marks) = try LenientJSON.value(bytes)
        try take(.exchange(ImportedExchange(exchange: try exchange(value, marks)).checked()))
    }

    /// - Parameter marks: What is already known to be missing.
    private static func exchange(
        _ value: JSONValue, _ marks: ImportMarks
    ) throws(ImportProblem) -> Exchange {
        guard let request = value["request"], let method = value["method"]?.text else {
            throw ImportProblem("it has no request")
        }
        var marks = marks.union(.rebuiltHead)
        let start = value["times"]?["start"].flatMap(ImportTime.nanoseconds)
        if start == nil { marks.insert(.missingTime) }
        let version = value["protocolVersion"]?.text
        let sent = try self.request(request, value, HTTPMethod(rawValue: method), version, &marks)
        let received = try value["response"].flatMap { response throws(ImportProblem) in
            try self.response(response, version, &marks)
        }
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: sent, response: received,
            timeline: CharlesTimes.timeline(value, start ?? 0, hasResponse: received != nil))
        let startedAt = start ?? 0
        exchange.client = address(value["clientAddress"], value["clientPort"]?.integer).map {
            ImportDetails.connection(.client, to: $0, at: startedAt)
        }
        exchange.server = server(value, startedAt)
        if value["webSocket"]?.bool == true {
            exchange.upgradedTo = "websocket"
            marks.insert(.missingMessages)
        }
        let status = value["status"]?.text ?? "COMPLETE"
        if received == nil || status != "COMPLETE" {
            exchange.state = .failed
            exchange.failure =
                value["errorMessage"]?.text.map(ImportFault.failure)
                ?? ImportFault.notRecorded(
                    received == nil ? "no response was recorded" : "its status is \(status)")
        }
        if let notes = value["notes"]?.text, !notes.isEmpty { exchange.annotations.note = notes }
        marks.apply(to: &exchange)
        return exchange
    }

    // MARK: Messages

    private static func request(
        _ request: JSONValue, _ value: JSONValue, _ method: HTTPMethod, _ version: String?,
        _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Request {
        let url = try self.url(value, method)
        var fields = ImportFields(objects: request["header"]?["headers"], &marks)
        let body = self.body(request, &fields, &marks)
        let head = try fields.requestHead(method: method, url: url, version: version)
        return Request(url: url, head: head, body: body)
    }

    /// nil if no response was received.
    private static func response(
        _ response: JSONValue, _ version: String?, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Response? {
        guard let status = response["status"]?.looseInteger, status > 0 else { return nil }
        var fields = ImportFields(objects: response["header"]?["headers"], &marks)
        // As in HAR, it would be a cached body.
        let isBodiless = status == 304 || status == 204
        let body = isBodiless ? Body() : self.body(response, &fields, &marks)
        // HTTP/1.1 404 Not Found
        let line = response["header"]?["firstLine"]?.text ?? ""
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        let composed = fields.responseHead(
            status: status, reason: words.count == 3 ? String(words[2]) : nil, version: version)
        guard let head = composed else { throw ImportProblem("its response has no valid status") }
        return Response(head: head, body: body)
    }

    private static func url(
        _ value: JSONValue, _ method: HTTPMethod
    ) throws(ImportProblem) -> RawURL {
        guard let host = value["host"]?.text, !host.isEmpty else {
            throw ImportProblem("its request has no URL")
        }
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
        let scheme = method == .connect ? "tunnel" : value["scheme"]?.text ?? "http"
        var text = "\(scheme)://\(isBare ? "[\(host)]" : host)"
        if let port = value["port"]?.integer ?? value["actualPort"]?.integer, port > 0 {
            text += ":\(port)"
        }
        if method != .connect {
            text += value["path"]?.text ?? "/"
            if let query = value["query"]?.text { text += "?\(query)" }
        }
        return try ImportURL.parse(text, method: method)
    }

    /// The body as text or base64. Its Content-Encoding no longer applies.
    private static func body(
        _ message: JSONValue, _ fields: inout ImportFields, _ marks: inout ImportMarks
    ) -> Body {
        let body = message["body"]
        let byteCount = message["sizes"]?["body"]?.integer ?? 0
        var kept: [UInt8] = []
        if let encoded = body?["encoded"]?.text {
            let bytes = ImportBody.base64(encoded)
            if bytes == nil { marks.insert(.missingBody) }
            kept = bytes ?? []
        } else if let text = body?["text"]?.text {
            let type = fields["Content-Type"] ?? message["mimeType"]?.text
            kept = ImportBody.bytes(text, contentType: type, byteCount: byteCount)
        }
        if kept.isEmpty, byteCount > 0 {
            marks.insert(.missingBody)
            return ImportBody.body([], byteCount: byteCount)
        }
        if !kept.isEmpty, fields["Content-Encoding"] != nil {
            marks.insert(.decodedBody)
            fields.describe(decodedByteCount: kept.count)
        }
        return Body(kept)
    }

    // MARK: Places

    private static func server(_ value: JSONValue, _ startedAt: Int64) -> ConnectionRecord? {
        let port = value["actualPort"]?.integer ?? value["port"]?.integer
        guard let address = address(value["remoteAddress"], port) else { return nil }
        var record = ImportDetails.connection(.server, to: address, at: startedAt)
        if let version = value["ssl"]?["protocol"]?.text {
            record.security = .init(
                version: version, cipher: value["ssl"]?["cipherSuite"]?.text,
                alpn: value["alpn"]?["protocol"]?.text, serverName: nil)
        }
        return record
    }

    /// `host/address` or an address, with the port if it is known.
    private static func address(_ value: JSONValue?, _ port: Int64?) -> String? {
        guard let text = value?.text?.split(separator: "/").last, !text.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let isSixth = text.count(where: { $0 == ":" }) > 1 && !text.hasPrefix("[")
        let host = isSixth ? "[\(text)]" : String(text)
        guard let port = port.flatMap({ UInt16(exactly: $0) }), port > 0 else { return host }
        return "\(host):\(port)"
    }
}

/// The times of a Charles transaction: instants in `times`, lengths of other phases in `durations`.
enum CharlesTimes {
    private static func moment(_ value: JSONValue, _ name: String) -> Int64? {
        value["times"]?[name]?.text.flatMap { RFC3339.nanoseconds($0) }
    }

    static func timeline(_ value: JSONValue, _ startedAt: Int64, hasResponse: Bool) -> Timeline {
        var timeline = Timeline(wallStart: startedAt, start: 0)
        timeline.connectionReused = value["keptAlive"]?.bool ?? false
        func set(_ moment: Moment, _ name: String) {
            guard let at = CharlesTimes.moment(value, name), at >= startedAt else { return }
            let (offset, isTooLarge) = at.subtractingReportingOverflow(startedAt)
            if !isTooLarge { timeline[moment] = offset }
        }
        set(.requestFirstByte, "requestBegin")
        set(.requestLastByte, "requestComplete")
        if hasResponse {
            set(.responseFirstByte, "responseBegin")
            set(.responseLastByte, "end")
        }
        set(hasResponse ? .delivered : .ended, "end")
        if !timeline.connectionReused { connect(&timeline, value) }
        return timeline
    }

    /// The phases of connecting follow one another from the start of the request; they are left out
    /// if they do not fit before the response.
    private static func connect(_ timeline: inout Timeline, _ value: JSONValue) {
        let phases: [(name: String, start: Moment, end: Moment)] = [
            ("dns", .dnsStart, .dnsEnd), ("connect", .connectStart, .connectEnd),
            ("ssl", .tlsStart, .tlsEnd),
        ]
        var now = timeline[.requestFirstByte] ?? 0
        var connected = timeline
        for phase in phases {
            guard let duration = value["durations"]?[phase.name]?.nanoseconds else { continue }
            connected[phase.start] = now
            now = now &+ duration
            connected[phase.end] = now
        }
        if now <= timeline[.responseFirstByte] ?? Int64.max { timeline = connected }
    }
}
