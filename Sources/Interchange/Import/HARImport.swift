internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads entries of HAR logs from this program and others.
enum HARImport {
    static func exchange(_ entry: JSONValue) throws(ImportProblem) -> ImportedExchange {
        guard let request = entry["request"] else { throw ImportProblem("it has no request") }
        let details = ImportDetails(entry)
        let (startedAt, timing) = try details.start(of: entry, "startedDateTime")
        var marks: ImportMarks = details.capture == nil ? .rebuiltHead : []
        let sent = try self.request(request, details, &marks)
        let response = try entry["response"].flatMap { value throws(ImportProblem) in
            try self.response(value, details, &marks)
        }
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: sent, response: response,
            timeline: timing ?? timeline(entry, startedAt, hasResponse: response != nil))
        exchange.server = server(entry, sent.url, startedAt)
        if response == nil, let error = entry["response"]?["_error"]?.text {
            exchange.failure = ExchangeFailure(
                origin: .upstream, kind: .closedEarly, message: String(error.prefix(200)))
        }
        details.complete(&exchange, state: nil, outer: .null)
        exchange.appliedRules = AppliedRuleJSON.rules(entry[AppliedRuleJSON.harName])
        RouteJSON.take(entry, prefix: "_", into: &exchange)
        if details.capture == nil, let comment = entry["comment"]?.text, !comment.isEmpty {
            exchange.annotations.note = comment
        }
        marks.apply(to: &exchange)
        return try ImportedExchange(
            sourceID: ExchangeNameJSON.number(details.capture?["id"]), exchange: exchange,
            malformedHead: details.malformedHead
        ).checked()
    }

    // MARK: Messages

    private static func request(
        _ value: JSONValue, _ details: ImportDetails, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Request {
        let urlText = value["url"]?.text
        let method = HTTPMethod(rawValue: value["method"]?.text ?? "")
        if details.isMalformed {
            let url = urlText.flatMap { try? ImportURL.parse($0, method: method) }
            let kept =
                details.body("request")
                ?? ImportBody.postData(
                    value["postData"], contentType: nil)
            return Request(
                url: url, head: nil,
                body: ImportBody.body(kept, byteCount: details.bodyByteCount("request")))
        }
        guard let urlText else { throw ImportProblem("its request has no URL") }
        let url = try ImportURL.parse(ImportURL.withScheme(urlText), method: method)
        var fields = try ImportFields(objects: value["headers"]?.elements ?? [])
        let kept =
            details.body("request")
            ?? ImportBody.postData(value["postData"], contentType: fields["Content-Type"])
        var byteCount = details.bodyByteCount("request")
        if details.capture == nil {
            // A browser logs the body that it sent, except for content codings, which it would have
            // removed.
            if kept.isEmpty { byteCount = value["bodySize"]?.integer }
            if kept.isEmpty, byteCount ?? 0 > 0 { marks.insert(.missingBody) }
            if fields["Content-Encoding"] != nil, !kept.isEmpty {
                marks.insert(.decodedBody)
                fields.describe(decodedByteCount: kept.count)
            }
            fields.complete(for: kept, contentType: value["postData"]?["mimeType"]?.text)
        }
        let body = ImportBody.body(kept, byteCount: byteCount)
        if let head = details.requestHead {
            return Request(url: url, head: head, body: body)
        }
        let head = try fields.requestHead(
            method: method, url: url, version: value["httpVersion"]?.text)
        return Request(url: url, head: head, body: body)
    }

    /// nil if no response was received: status 0 or none, and no head of one that was withheld.
    private static func response(
        _ value: JSONValue, _ details: ImportDetails, _ marks: inout ImportMarks
    ) throws(ImportProblem) -> Response? {
        let status = value["status"]?.integer ?? 0
        guard status > 0 || details.responseHead != nil else { return nil }
        var fields = try ImportFields(objects: value["headers"]?.elements ?? [])
        let content = value["content"]
        let text = content?["text"]?.text
        var kept: [UInt8] = []
        if let body = details.body("response") {
            kept = body
        } else if let text, content?["encoding"]?.text?.lowercased() == "base64" {
            guard let bytes = Base64.bytes(text) else {
                throw ImportProblem("the body of its response is not base64")
            }
            kept = bytes
        } else if let text {
            let type = details.capture == nil ? fields["Content-Type"] : nil
            kept = ImportBody.bytes(text, contentType: type)
        }
        var byteCount = details.bodyByteCount("response")
        if details.capture == nil {
            if text == nil {
                byteCount = max(value["bodySize"]?.integer ?? 0, content?["size"]?.integer ?? 0)
                if byteCount ?? 0 > 0 { marks.insert(.missingBody) }
            } else if fields["Content-Encoding"] != nil {
                marks.insert(.decodedBody)
                fields.describe(decodedByteCount: kept.count)
            }
        }
        let composed = fields.responseHead(
            status: status, reason: value["statusText"]?.text, version: value["httpVersion"]?.text)
        return try details.response(composed, ImportBody.body(kept, byteCount: byteCount))
    }

    // MARK: Times and places

    private static func timeline(
        _ entry: JSONValue, _ startedAt: Int64, hasResponse: Bool
    ) -> Timeline {
        let timings = entry["timings"]
        var phases = ImportTimeline(wallStart: startedAt)
        phases.blocked = timings?["blocked"]?.nanoseconds
        phases.dns = timings?["dns"]?.nanoseconds
        phases.tls = timings?["ssl"]?.nanoseconds
        // HAR includes TLS in `connect`.
        phases.connect = timings?["connect"]?.nanoseconds.map { max(0, $0 - (phases.tls ?? 0)) }
        phases.send = timings?["send"]?.nanoseconds
        phases.wait = timings?["wait"]?.nanoseconds
        phases.receive = timings?["receive"]?.nanoseconds
        phases.total = entry["time"]?.nanoseconds
        phases.isReused = timings?["connect"]?.number.map { $0 < 0 } ?? false
        return phases.timeline(hasResponse: hasResponse)
    }

    private static func server(
        _ entry: JSONValue, _ url: RawURL?, _ startedAt: Int64
    ) -> ConnectionRecord? {
        guard let text = entry["serverIPAddress"]?.text, let url else { return nil }
        // Some write the name before the address, or the port behind it.
        let last = text.split(separator: "/").last ?? ""
        var address = last.filter { $0 != "[" && $0 != "]" }
        if address.contains("."), let colon = address.lastIndex(of: ":"),
            colon == address.firstIndex(of: ":")
        {
            address = String(address[..<colon])
        }
        guard InternetAddress(address) != nil else { return nil }
        let shown = address.contains(":") ? "[\(address)]" : address
        return ImportDetails.connection(.server, to: "\(shown):\(url.port)", at: startedAt)
    }
}
