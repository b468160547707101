internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads entries of HAR logs from this program and others.
struct HARImport {
    private let details: ImportDetails
    private let files: HARFiles?
    private var marks: ImportMarks
    /// The head of an invalid request, composed from what the file says.
    private var malformedHead: [UInt8]?
    /// The start of a response without a valid status.
    private var refused: ResponseFault.Refusal?

    /// - Parameter marks: What is already known to be missing.
    static func exchange(
        _ entry: JSONValue, _ files: HARFiles? = nil, _ marks: ImportMarks = []
    ) throws(ImportProblem) -> ImportedExchange {
        var reader = HARImport(entry, files, marks)
        return try reader.exchange(entry)
    }

    private init(_ entry: JSONValue, _ files: HARFiles?, _ marks: ImportMarks) {
        details = ImportDetails(
            entry, versions: [entry["request"]?["httpVersion"], entry["response"]?["httpVersion"]])
        self.files = files
        self.marks = marks.union(details.capture == nil ? .rebuiltHead : [])
        malformedHead = details.malformedHead
    }

    private mutating func exchange(_ entry: JSONValue) throws(ImportProblem) -> ImportedExchange {
        guard let request = entry["request"] else { throw ImportProblem("it has no request") }
        let (startedAt, timing) = details.start(entry["startedDateTime"], &marks)
        let sent = try self.request(request)
        var response: Response?
        if let value = entry["response"] { response = try self.response(value, to: request) }
        if details.capture == nil, entry["_fromCache"]?.text?.isEmpty == false {
            marks.insert(.fromCache)
        }
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: sent, response: response,
            timeline: timing
                ?? HARImport.timeline(entry, startedAt, hasResponse: response != nil))
        exchange.server = HARImport.server(entry, sent.url, startedAt)
        if response == nil {
            exchange.failure =
                entry["response"]?["_error"]?.text.map(ImportFault.failure)
                ?? refused.map { ImportFault.notRecorded($0.reason) }
        }
        details.complete(&exchange, state: nil, outer: .null)
        noteFaults(&exchange)
        exchange.appliedRules = AppliedRuleJSON.rules(entry[AppliedRuleJSON.harName])
        RouteJSON.take(entry, prefix: "_", into: &exchange)
        if details.capture == nil, let comment = entry["comment"]?.text, !comment.isEmpty {
            exchange.annotations.note = comment
        }
        marks.apply(to: &exchange)
        return try ImportedExchange(
            sourceID: ExchangeNameJSON.number(details.capture?["id"]), exchange: exchange,
            malformedHead: malformedHead
        ).checked()
    }

    /// Records what was invalid in a message of another program's file.
    private func noteFaults(_ exchange: inout Exchange) {
        if let refused { exchange.responseFault = ResponseFault(refusal: refused) }
        guard malformedHead != nil, !details.isMalformed else { return }
        exchange.state = .failed
        exchange.failure = ExchangeFailure(
            origin: .client, kind: .malformedRequest, message: "the request is not valid HTTP")
    }

    // MARK: Messages

    private mutating func request(_ value: JSONValue) throws(ImportProblem) -> Request {
        let urlText = value["url"]?.text
        let method = HTTPMethod(rawValue: value["method"]?.text ?? "")
        if details.isMalformed {
            let url = urlText.flatMap { try? ImportURL.parse($0, method: method) }
            let kept =
                details.body("request")
                ?? ImportBody.postData(value["postData"], contentType: nil, byteCount: nil, &marks)
            return Request(
                url: url, head: nil,
                body: ImportBody.body(kept, byteCount: details.bodyByteCount("request")))
        }
        guard let urlText else { throw ImportProblem("its request has no URL") }
        let url = try url(ImportURL.withScheme(urlText), method)
        var fields = ImportFields(objects: value["headers"], &marks)
        let kept =
            details.body("request") ?? files?.bytes(value["postData"])
            ?? ImportBody.postData(
                value["postData"], contentType: fields["Content-Type"],
                byteCount: value["bodySize"]?.looseInteger, &marks)
        var byteCount = details.bodyByteCount("request")
        if details.capture == nil {
            // A browser logs the body as sent, but without content codings.
            if kept.isEmpty { byteCount = value["bodySize"]?.looseInteger }
            if kept.isEmpty, byteCount ?? 0 > 0 || value["postData"]?["_file"] != nil {
                marks.insert(.missingBody)
            }
            if fields["Content-Encoding"] != nil, !kept.isEmpty {
                marks.insert(.decodedBody)
                fields.describe(decodedByteCount: kept.count)
            }
            fields.complete(for: kept, contentType: value["postData"]?["mimeType"]?.text)
        }
        let body = ImportBody.body(kept, byteCount: byteCount)
        if let head = details.requestHead { return Request(url: url, head: head, body: body) }
        guard let url, FieldValidator.isToken(Array(method.rawValue.utf8).span) else {
            let target = url.map { String(decoding: $0.origin, as: UTF8.self) } ?? urlText
            malformedHead = fields.text(firstLine: "\(method.rawValue) \(target) HTTP/1.1")
            return Request(url: url, head: nil, body: body)
        }
        let head = try fields.requestHead(
            method: method, url: url, version: details.sharedVersion ?? value["httpVersion"]?.text)
        return Request(url: url, head: head, body: body)
    }

    /// Nil for an invalid http or https URL.
    private func url(_ text: String, _ method: HTTPMethod) throws(ImportProblem) -> RawURL? {
        do throws(ImportProblem) {
            return try ImportURL.parse(text, method: method)
        } catch {
            let scheme = text.prefix { $0 != ":" }.lowercased()
            guard details.capture == nil, ["http", "https"].contains(scheme) else { throw error }
            return nil
        }
    }

    /// Nil if no response was received: the status is 0 or missing, and there is no head of a
    /// withheld one.
    private mutating func response(
        _ value: JSONValue, to request: JSONValue
    ) throws(ImportProblem) -> Response? {
        var fields = ImportFields(objects: value["headers"], &marks)
        let hasMessage = !fields.isEmpty || value["content"]?["text"] != nil
        let status = value["status"]?.looseInteger ?? (hasMessage ? nil : 0)
        if let status, status <= 0, details.responseHead == nil { return nil }
        guard let status, 100...999 ~= status || details.responseHead != nil else {
            refuse(value, fields)
            return nil
        }
        let body: Body
        if details.capture == nil {
            let isBodiless = status == 304 || status == 204 || request["method"]?.text == "HEAD"
            // Browsers show the body from their cache (RFC 9110 §6.4.1).
            body = isBodiless ? Body() : foreignBody(value, &fields)
        } else {
            body = ownBody(value["content"])
        }
        let composed = fields.responseHead(
            status: status, reason: value["statusText"]?.text,
            version: details.sharedVersion ?? value["httpVersion"]?.text)
        return try details.response(composed, body)
    }

    /// Keeps what the file contains of a response without a valid status.
    private mutating func refuse(_ value: JSONValue, _ fields: ImportFields) {
        let words = ["HTTP/1.1", value["status"]?.looseText, value["statusText"]?.text]
        let line = words.compactMap { $0 }.joined(separator: " ")
        let body = contentBytes(value["content"], contentType: fields["Content-Type"])
        refused = ResponseFault.Refusal(
            bytes: fields.text(firstLine: line) + (body ?? []),
            reason: "the status of its response is not valid")
    }

    /// The body of a response in a file of this program.
    private mutating func ownBody(_ content: JSONValue?) -> Body {
        let kept = details.body("response") ?? contentBytes(content, contentType: nil)
        return ImportBody.body(kept ?? [], byteCount: details.bodyByteCount("response"))
    }

    /// The body of a response in a file of another program, which has removed content codings.
    private mutating func foreignBody(_ value: JSONValue, _ fields: inout ImportFields) -> Body {
        let content = value["content"]
        let kept = contentBytes(content, contentType: fields["Content-Type"])
        guard let kept else {
            let byteCount = max(
                value["bodySize"]?.looseInteger ?? 0, content?["size"]?.looseInteger ?? 0)
            if byteCount > 0 { marks.insert(.missingBody) }
            return ImportBody.body([], byteCount: byteCount)
        }
        if fields["Content-Encoding"] != nil {
            marks.insert(.decodedBody)
            fields.describe(decodedByteCount: kept.count)
        }
        return Body(kept)
    }

    /// The bytes of a response's body; nil if the file does not have them.
    private mutating func contentBytes(_ content: JSONValue?, contentType: String?) -> [UInt8]? {
        if let bytes = files?.bytes(content) { return bytes }
        guard let text = content?["text"]?.text else {
            // Its archive is missing or does not have it, or it is not text.
            if content?["_file"] != nil || content?["text"] != nil { marks.insert(.missingBody) }
            return nil
        }
        switch ImportBody.Encoding(content?["encoding"]) {
        case .none: break
        case .unknown: marks.insert(.unknownEncoding)
        case .base64:
            let bytes = ImportBody.base64(text)
            if bytes == nil { marks.insert(.missingBody) }
            return bytes
        }
        return ImportBody.bytes(
            text, contentType: contentType, byteCount: content?["size"]?.looseInteger)
    }

    // MARK: Times and places

    private static func timeline(
        _ entry: JSONValue, _ startedAt: Int64, hasResponse: Bool
    ) -> Timeline {
        let timings = entry["timings"]
        var phases = ImportTimeline(wallStart: startedAt)
        phases.blocked = timings?["blocked"]?.looseNanoseconds
        phases.dns = timings?["dns"]?.looseNanoseconds
        phases.tls = timings?["ssl"]?.looseNanoseconds
        // HAR includes TLS in `connect`.
        phases.connect = timings?["connect"]?.looseNanoseconds.map {
            max(0, $0 - (phases.tls ?? 0))
        }
        phases.send = timings?["send"]?.looseNanoseconds
        phases.wait = timings?["wait"]?.looseNanoseconds
        phases.receive = timings?["receive"]?.looseNanoseconds
        phases.total = entry["time"]?.looseNanoseconds
        phases.isReused = timings?["connect"]?.number.map { $0 < 0 } ?? false
        return phases.timeline(hasResponse: hasResponse)
    }

    private static func server(
        _ entry: JSONValue, _ url: RawURL?, _ startedAt: Int64
    ) -> ConnectionRecord? {
        guard let text = entry["serverIPAddress"]?.text, let url else { return nil }
        // Some write the name before the address, or the port after it.
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

/// Reads the streamed entries of a HAR log and their messages.
///
/// In exports of this program the messages come last in their entry, which is passed on before
/// them. Other programs write them earlier: they are kept in memory, up to the maximum length of an
/// entry.
struct HAREntryReader {
    private enum Messages {
        /// No messages have been read yet.
        case none
        /// The exchange was passed on, with this start time and this number of messages so far.
        case following(startedAtNs: Int64, count: Int64)
        /// The bytes of messages whose exchange is not known yet.
        case waiting([[UInt8]])
        case tooLong
    }

    /// Whether an exchange was passed on and its messages have not ended.
    var isWithinMessages: Bool {
        if case .following = messages { true } else { false }
    }

    private let byteCountMax: Int
    private let files: HARFiles?
    private var messages = Messages.none
    private var waitingByteCount = 0

    init(byteCountMax: Int, files: HARFiles?) {
        self.byteCountMax = byteCountMax
        self.files = files
    }

    /// Processes an element and passes on what it completes.
    /// - Throws: `ImportProblem` if an entry is invalid, and errors of `take`.
    mutating func receive(_ element: SplitElement, _ take: (ImportedPart) throws -> Void) throws {
        switch element {
        case .beforeMessages(let bytes):
            guard case .none = messages else { return }
            messages = .waiting([])
            guard let exchange = HAREntryReader.ours(bytes) else { return }
            messages = .following(startedAtNs: exchange.exchange.timeline.wallStart, count: 0)
            try take(.exchange(exchange))
        case .message(let bytes): try receive(message: bytes, take)
        case .bytes(let bytes): try finish(bytes, take)
        case .tooLong:
            reset()
            throw ImportProblem.tooLong
        }
    }

    private mutating func receive(
        message bytes: [UInt8], _ take: (ImportedPart) throws -> Void
    ) throws {
        switch messages {
        case .none, .tooLong: return
        case .following(let start, let count):
            messages = .following(startedAtNs: start, count: count + 1)
            let value = try InterchangeReader.value(bytes)
            try take(
                .messages([try MessageImport.element(value, position: count, startedAtNs: start)]))
        case .waiting(var waiting):
            // Release the array first, so that it is not copied for each new message.
            messages = .tooLong
            waitingByteCount += bytes.count
            guard waitingByteCount <= byteCountMax else { return }
            waiting.append(bytes)
            messages = .waiting(waiting)
        }
    }

    private mutating func finish(_ bytes: [UInt8], _ take: (ImportedPart) throws -> Void) throws {
        let messages = messages
        reset()
        switch messages {
        case .following: return
        case .tooLong: throw ImportProblem.tooLong
        case .none: try take(.exchange(try exchange(bytes)))
        case .waiting(let waiting):
            var imported = try exchange(bytes)
            if !waiting.isEmpty, imported.exchange.upgradedTo == nil {
                imported.exchange.upgradedTo = "websocket"
            }
            let start = imported.exchange.timeline.wallStart
            func message(_ index: Int, _ position: Int = 0) throws(ImportProblem) -> MessageRecord {
                try MessageImport.element(
                    try LenientJSON.value(waiting[index]).0, position: Int64(position),
                    startedAtNs: start)
            }
            var valid: [Int] = []
            var problem: ImportProblem?
            for index in waiting.indices {
                do throws(ImportProblem) {
                    _ = try message(index)
                    valid.append(index)
                } catch {
                    problem = problem ?? error
                }
            }
            if problem != nil { ImportMarks.missingMessages.apply(to: &imported.exchange) }
            try take(.exchange(imported))
            for (position, index) in valid.enumerated() {
                try take(.messages([try message(index, position)]))
            }
            if let problem { throw problem }
        }
    }

    private func exchange(_ bytes: [UInt8]) throws(ImportProblem) -> ImportedExchange {
        let (value, marks) = try LenientJSON.value(bytes)
        return try HARImport.exchange(value, files, marks)
    }

    private mutating func reset() {
        messages = .none
        waitingByteCount = 0
    }

    /// An entry's exchange before its messages; nil if more members may follow, as from others.
    private static func ours(_ bytes: [UInt8]) -> ImportedExchange? {
        guard let value = try? InterchangeReader.value(bytes + Array("]}".utf8)),
            value[CaptureDetails.name] != nil
        else { return nil }
        return try? HARImport.exchange(value)
    }
}

/// Lenient access to values, for files that confuse strings and numbers.
extension JSONValue {
    var looseText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// An integer, possibly in a string.
    var looseInteger: Int64? { unquoted.integer }

    /// Milliseconds as nanoseconds, possibly from a string; nil if negative.
    var looseNanoseconds: Int64? { unquoted.nanoseconds }

    private var unquoted: JSONValue {
        guard case .string(let text) = self else { return self }
        let digits = text.filter { $0 != " " }
        return digits.allSatisfy { "0123456789+-.eE".contains($0) } ? .number(digits) : self
    }
}
