internal import ProxydCivilTime
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Reads a session of Fiddler: both messages are bytes as sent, decoded as in the proxy.
enum FiddlerImport {
    static func exchange(
        _ parts: SessionParts, _ reader: inout ZIPReader
    ) throws -> (ImportedExchange, [MessageRecord]) {
        guard let client = parts.client else { throw ImportProblem("it has no request") }
        let facts = SessionFacts(
            try parts.facts.map {
                try reader.bytes($0, byteCountMax: SessionFacts.byteCountMax)
            } ?? [])
        var marks: ImportMarks = []
        let (message, refused) = try request(client, &reader, &marks)
        var imported: ImportedExchange
        if let message {
            imported = ImportedExchange(
                exchange: try exchange(message, parts, &reader, facts, &marks))
        } else {
            imported = ImportedExchange(exchange: unreadable(facts))
            imported.malformedHead = refused
        }
        if facts.moment("ClientBeginRequest") == nil { marks.insert(.missingTime) }
        if let note = facts.flag("ui-comments") { imported.exchange.annotations.note = note }
        let messages = try messages(parts, &reader, &imported.exchange, &marks)
        marks.apply(to: &imported.exchange)
        return (try imported.checked(), messages)
    }

    private static func exchange(
        _ request: RawMessage<RequestHead>, _ parts: SessionParts, _ reader: inout ZIPReader,
        _ facts: SessionFacts, _ marks: inout ImportMarks
    ) throws -> Exchange {
        let head = request.head
        let url = try RawURLs.url(head)
        let answer = try response(parts.server, to: head.method, &reader, &marks)
        let message = answer.message
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete,
            request: Request(
                url: url, head: head, body: request.announcedBody, trailers: request.trailers),
            response: message.map {
                Response(head: $0.head, body: $0.announcedBody, trailers: $0.trailers)
            }, informational: message?.interim ?? [],
            timeline: SessionTimes.timeline(facts, hasResponse: message != nil))
        if let message, !message.isWhole, !message.announcedBody.isTruncated {
            marks.insert(.missingBody)
        }
        if !request.isWhole, !request.announcedBody.isTruncated { marks.insert(.missingBody) }
        exchange.client = SessionTimes.client(facts)
        exchange.server = SessionTimes.server(facts, port: url.port)
        exchange.responseFault = answer.fault
        if message == nil {
            exchange.state = .failed
            exchange.failure =
                answer.fault?.refusal.map {
                    ExchangeFailure(origin: .upstream, kind: .malformedResponse, message: $0.reason)
                } ?? ImportFault.notRecorded("no response was recorded")
        } else if head.isClassicConnect, message?.opensTunnel == true {
            exchange.state = .tunnel
        }
        return exchange
    }

    /// A request that is not HTTP.
    private static func unreadable(_ facts: SessionFacts) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .failed, request: Request(url: nil, head: nil),
            response: nil, timeline: SessionTimes.timeline(facts, hasResponse: false))
        exchange.client = SessionTimes.client(facts)
        exchange.failure = ExchangeFailure(
            origin: .client, kind: .malformedRequest, message: "the request is not valid HTTP")
        return exchange
    }

    // MARK: Messages

    private static func request(
        _ member: ZIPMember, _ zip: inout ZIPReader, _ marks: inout ImportMarks
    ) throws -> (RawMessage<RequestHead>?, refused: [UInt8]) {
        var reader = RawMessageReader(RequestDecoder(limits: .captured))
        let found = try read(member, &zip, &reader)
        if let text = try FiddlerHeadText(member, &zip, after: reader.failure, &marks),
            let message = text.request()
        {
            return (message, [])
        }
        return (found, reader.decoder.partialHead)
    }

    private static func response(
        _ member: ZIPMember?, to method: HTTPMethod, _ zip: inout ZIPReader,
        _ marks: inout ImportMarks
    ) throws -> (message: RawMessage<ResponseHead>?, fault: ResponseFault?) {
        guard let member, member.byteCount > 0 else { return (nil, nil) }
        var reader = RawMessageReader(ResponseDecoder(limits: .captured))
        reader.prepare { $0.expectResponse(toMethod: method) }
        var found = try read(member, &zip, &reader)
        guard let error = reader.failure else { return (found, nil) }
        if let text = try FiddlerHeadText(member, &zip, after: error, &marks),
            let message = text.response()
        {
            return (message, nil)
        }
        if var message = found, message.length == .chunked, message.body.byteCount == 0 {
            // Fiddler has removed the chunks, but not the field that announces them.
            try unchunked(&message, member, &zip)
            found = message
        }
        if found != nil { return (found, nil) }
        let refusal = ResponseFault.Refusal(
            bytes: reader.decoder.partialHead, reason: error.message)
        return (nil, ResponseFault(refusal: refusal))
    }

    private static func read<Decoder>(
        _ member: ZIPMember, _ zip: inout ZIPReader, _ reader: inout RawMessageReader<Decoder>
    ) throws -> RawMessage<Decoder.Head>? {
        var found: RawMessage<Decoder.Head>?
        // Fiddler's own data follows the message, such as what it knows of a tunnel.
        try zip.read(member) { piece in
            var offset = 0
            if found == nil { found = reader.next(piece, from: &offset) }
        }
        return found ?? reader.finish()
    }

    private static func unchunked(
        _ message: inout RawMessage<ResponseHead>, _ member: ZIPMember, _ zip: inout ZIPReader
    ) throws {
        let bytes = try zip.bytes(member, byteCountMax: RawMessage<ResponseHead>.bodyByteCountMax)
        let start = message.interim.reduce(message.head.bytes.count) { $0 + $1.bytes.count }
        message.body = Body(Array(bytes.dropFirst(start)))
        message.isWhole = true
    }

    // MARK: WebSockets

    private static func messages(
        _ parts: SessionParts, _ reader: inout ZIPReader, _ exchange: inout Exchange,
        _ marks: inout ImportMarks
    ) throws -> [MessageRecord] {
        guard let head = exchange.response?.head, head.status == 101,
            head.fields["Upgrade"]?.lowercased() == "websocket"
        else { return [] }
        exchange.upgradedTo = "websocket"
        guard let member = parts.socket else {
            marks.insert(.missingMessages)
            return []
        }
        let bytes = try reader.bytes(member, byteCountMax: FiddlerMessages.byteCountMax)
        return FiddlerMessages.messages(
            bytes, request: exchange.request.head?.fields ?? HeaderFields(),
            response: head.fields, startedAt: exchange.timeline.wallStart)
    }
}

/// A message of HTTP/2 or HTTP/3 as Fiddler writes it: like HTTP/1 except for the version in its
/// first line. Everything after the head is the body.
struct FiddlerHeadText {
    private static let lineByteCountMax = 64 << 10

    private let words: [ArraySlice<UInt8>]
    private let fields: ImportFields
    private let body: Body

    /// Reads a member; nil if it is of another version.
    /// - Parameter failure: Why it was not read as HTTP/1.
    init?(
        _ member: ZIPMember, _ zip: inout ZIPReader, after failure: WireError?,
        _ marks: inout ImportMarks
    ) throws {
        guard let kind = failure?.kind,
            [.unsupportedVersion, .badRequestLine, .badStatusLine].contains(kind)
        else { return nil }
        let bytes = try zip.bytes(member, byteCountMax: ZIPReader.memberByteCountMax)
        var rest = bytes[...]
        guard let line = rest.popLine(), line.count <= FiddlerHeadText.lineByteCountMax
        else { return nil }
        words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words.contains(where: { FiddlerHeadText.version($0) != nil })
        else { return nil }
        var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)?] = []
        while let line = rest.popLine(), !line.isEmpty {
            pairs.append(FiddlerHeadText.pair(line))
        }
        fields = ImportFields(bytes: pairs, &marks)
        let kept = rest.prefix(RawMessage<RequestHead>.bodyByteCountMax)
        body = Body(byteCount: Int64(rest.count), kept: Array(kept))
        marks.insert(.rebuiltHead)
    }

    /// Nil if the first line is not a request's.
    func request() -> RawMessage<RequestHead>? {
        guard words.count == 3, let version = FiddlerHeadText.version(words[2]) else { return nil }
        let method = HTTPMethod(rawValue: String(decoding: words[0], as: UTF8.self))
        let target = String(decoding: words[1], as: UTF8.self)
        var text = method == .connect ? "tunnel://\(target)" : target
        // HTTP/2 and HTTP/3 use TLS.
        if text.hasPrefix("/"), let host = fields["Host"] { text = "https://\(host)\(text)" }
        guard let url = try? ImportURL.parse(text, method: method),
            let head = try? fields.requestHead(method: method, url: url, version: version)
        else { return nil }
        return message(head)
    }

    /// Nil if the first line is not a response's.
    func response() -> RawMessage<ResponseHead>? {
        guard let version = FiddlerHeadText.version(words[0]),
            let status = Int64(String(decoding: words[1], as: UTF8.self)),
            let head = fields.responseHead(status: status, reason: nil, version: version)
        else { return nil }
        return message(head)
    }

    private func message<Head: Sendable>(_ head: Head) -> RawMessage<Head> {
        var message = RawMessage(head: head, length: .untilClose)
        message.body = body
        message.isWhole = true
        return message
    }

    /// The text of a version of HTTP/2 or HTTP/3; nil for anything else.
    private static func version(_ word: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: word, as: UTF8.self)
        return ImportFields.version(text) >= .http2 ? text : nil
    }

    private static func pair(
        _ line: ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (line[..<colon], line[(colon + 1)...].drop { ASCII.isOWS($0) })
    }
}

/// Reads the messages of a WebSocket as Fiddler saves them: for each frame a few lines, an empty
/// line, the bytes of the frame, and a line end.
///
/// ```
/// Request-Length: 11
/// ID: 1
/// DoneRead: 2026-11-23T01:00:00.1000000+00:00
///
/// (11 bytes)
/// ```
enum FiddlerMessages {
    static let byteCountMax = 64 << 20
    private static let lineCountMax = 32

    static func messages(
        _ bytes: [UInt8], request: HeaderFields, response: HeaderFields, startedAt: Int64
    ) -> [MessageRecord] {
        let agreement = try? WebSocketAgreement(request: request, response: response)
        let observer = WebSocketObserver(agreement: agreement ?? WebSocketAgreement())
        var messages: [MessageRecord] = []
        var rest = bytes[...]
        var offset: Int64 = 0
        func tell(_ message: consuming MessageRecord) {
            message.position = Int64(messages.count)
            message.offsetNs = offset
            messages.append(message)
        }
        while let frame = next(&rest) {
            if let at = frame.at, at > startedAt { offset = at - startedAt }
            observer.receive(frame.bytes.span, frame.direction, tell)
        }
        observer.end(tell)
        return messages
    }

    private struct Frame {
        let direction: MessageRecord.Direction
        let at: Int64?
        let bytes: ArraySlice<UInt8>
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Frame? {
        var direction: MessageRecord.Direction?
        var length = 0
        var at: Int64?
        for _ in 0..<lineCountMax {
            guard let bytes = rest.popLine(byteCountMax: 1_024) else { return nil }
            let line = String(decoding: bytes, as: UTF8.self)
            if line.isEmpty {
                // The line end after the previous frame.
                guard let direction else { continue }
                guard length <= rest.count else { return nil }
                defer { rest = rest.dropFirst(length) }
                return Frame(direction: direction, at: at, bytes: rest.prefix(length))
            }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = String(parts[1].drop { $0 == " " })
            switch parts[0] {
            case "Request-Length", "Response-Length":
                guard let count = Int(value), count >= 0 else { return nil }
                direction = parts[0] == "Request-Length" ? .toServer : .toClient
                length = count
            case "DoneRead": at = RFC3339.nanoseconds(value)
            default: break
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Removes the next line, and returns it without its end; nil if none ends within the limit.
    fileprivate mutating func popLine(byteCountMax: Int = .max) -> ArraySlice<UInt8>? {
        guard let end = prefix(byteCountMax).firstIndex(of: 0x0A) else { return nil }
        let line = self[..<end]
        self = self[(end + 1)...]
        return line.last == 0x0D ? line.dropLast() : line
    }
}
