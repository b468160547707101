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
        _ line: JSONValue, _ value: JSONValue, _ details: ImportDetails,
        _ marks: inout ImportMarks
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
        if let head = details.requestHead {
            return Request(url: url, head: head, body: body)
        }
        let head = try fields.requestHead(
            method: method, url: url, version: line["http_version"]?.text)
        return Request(url: url, head: head, body: body)
    }

    private static func response(
        _ line: JSONValue, _ value: JSONValue, _ details: ImportDetails,
        _ marks: inout ImportMarks
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
