internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Reads a session of Fiddler: both messages are bytes as they were sent, and are decoded as the
/// proxy does it.
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
                    ExchangeFailure(
                        origin: .upstream, kind: .malformedResponse, message: $0.reason)
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
        // What follows the message is Fiddler's own, such as what it knows of a tunnel.
        try zip.read(member) { piece in
            var offset = 0
            if found == nil { found = reader.next(piece, from: &offset) }
        }
        return found ?? reader.finish()
    }

    private static func unchunked(
        _ message: inout RawMessage<ResponseHead>, _ member: ZIPMember, _ zip: inout ZIPReader
    ) throws {
        let bytes = try zip.bytes(
            member, byteCountMax: RawMessage<ResponseHead>.bodyByteCountMax)
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
