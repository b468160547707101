package import ProxydHTTPModel
internal import ProxydHTTPWire

/// The parts of an exchange as a store has them, from which `exchange(_:)` makes the whole.
package struct StoredExchangeParts: Sendable {
    /// The values of its row in `exchange`.
    package let columns: ExchangeColumns
    /// Heads, trailers and the first frames.
    package let heads: StoredHeads
    /// The bodies as received, complete or cut by the reader.
    package var requestBody: [UInt8] = []
    package var responseBody: [UInt8] = []
    /// The bodies as forwarded, or nil if they are those received.
    package var requestBodySent: [UInt8]?
    package var responseBodySent: [UInt8]?
    /// Frames that were recorded after those in `heads`.
    package var laterFrames: [UInt8] = []
    package var client: ConnectionRecord?
    package var server: ConnectionRecord?
    package var responseFault: ResponseFault?
    package var appliedRules: [AppliedRule] = []
    package var annotations = Exchange.Annotations()

    /// Creates an exchange without bodies and without parts from further tables.
    package init(columns: ExchangeColumns, heads: StoredHeads) {
        self.columns = columns
        self.heads = heads
    }

    package func exchange(_ id: ExchangeID) -> Exchange {
        var exchange = Exchange(
            id: id, state: columns.state, request: request, response: response,
            informational: heads.informational.map { inVersion($0) }, timeline: columns.timeline)
        exchange.client = client
        exchange.server = server
        exchange.responseFault = responseFault
        exchange.appliedRules = appliedRules
        exchange.http2 = columns.http2(response: heads.responseHead)
        exchange.frames = heads.frames + laterFrames
        exchange.failure = columns.failure
        exchange.user = columns.user
        exchange.upgradedTo = columns.upgradedTo
        exchange.replayOf = columns.replayOf
        exchange.annotations = annotations
        return exchange
    }

    /// A head with its version, which the text of HTTP/2 and HTTP/3 heads does not tell.
    private func inVersion<Head: VersionedHead>(_ head: Head) -> Head {
        columns.headFormat == .http3 ? head.inVersion(.http3) : head
    }

    private func inVersion<Head: VersionedHead>(_ head: Head?) -> Head? { head.map(inVersion) }

    private var request: Request {
        let head = columns.flags.contains(.malformedHead) ? nil : inVersion(heads.requestHead)
        var request = Request(
            url: url(head), head: head,
            body: Body(byteCount: columns.requestByteCount, kept: requestBody),
            trailers: heads.requestTrailers)
        request.sentHead = inVersion(heads.sentRequestHead)
        request.sentBody = requestBodySent.map {
            StoredExchangeParts.sentBody($0, request.sentHead?.fields)
        }
        if columns.headFormat == .malformedHTTP2 {
            request.malformedCodings = heads.requestCodings.compactMap(FieldCoding.init(rawValue:))
        }
        request.keepsForeignHost = columns.flags.contains(.keepsForeignHost)
        return request
    }

    /// The response, if there is one. If a rule answered instead of a server, it is the response
    /// that the client received.
    private var response: Response? {
        let sentHead = inVersion(heads.sentResponseHead)
        guard let head = inVersion(heads.responseHead) ?? sentHead else { return nil }
        var body = Body(
            byteCount: columns.receivedByteCount ?? columns.responseByteCount, kept: responseBody)
        body.isAbandoned =
            columns.state == .complete && columns.receivedByteCount != nil
            && !columns.flags.contains(.responseComplete)
        var response = Response(head: head, body: body, trailers: heads.responseTrailers)
        response.isWithheld = columns.isResponseWithheld
        let sent = responseBodySent.map { kept in
            columns.receivedByteCount == nil
                ? StoredExchangeParts.sentBody(kept, sentHead?.fields)
                : Body(byteCount: columns.responseByteCount, kept: kept)
        }
        guard heads.responseHead != nil else {
            response.body = sent ?? response.body
            return response
        }
        response.sentHead = sentHead
        response.sentBody = sent
        // Of a secret body, only the length is stored.
        if sent == nil, !response.isWithheld, columns.receivedByteCount != nil {
            response.sentBody = Body(byteCount: columns.responseByteCount, kept: [])
        }
        return response
    }

    /// A body as forwarded by 0.2.0, and any request's. No column stores its length: if only the
    /// start was stored, its head gives the length.
    private static func sentBody(_ kept: [UInt8], _ fields: HeaderFields?) -> Body {
        let told = fields?.value(.contentLength).flatMap { Int64($0) } ?? 0
        let byteCount = max(Int64(kept.count), told <= Body.byteCountMax ? told : 0)
        return Body(byteCount: byteCount, kept: kept)
    }

    private func url(_ head: RequestHead?) -> RawURL? {
        guard let scheme = columns.scheme, let host = columns.host, let port = columns.port,
            let path = columns.path
        else { return nil }
        // Text columns do not preserve bytes that are not UTF-8.
        let receiver = Receiver.origin(scheme: scheme, host: host, port: port)
        if let head, !ASCII.isASCII(head.target.span),
            case .forward(let sent)? = try? EffectiveTarget.resolve(head, via: receiver)
        {
            return sent
        }
        let origin = path + (columns.query.map { "?" + $0 } ?? "")
        return RawURL(scheme: scheme, host: host, port: port, origin: Array(origin.utf8))
    }
}

/// The columns of `exchange` that a whole exchange is made of.
package struct ExchangeColumns: Sendable {
    /// The columns, in the order in which `init(_:)` expects them.
    package static let columns = [
        "state", "started_ns", "scheme", "host", "port", "path", "query", "request_body_bytes",
        "response_body_bytes", "timeline", "client_connection_id", "server_connection_id",
        "error_origin", "error_kind", "error", "upgraded_to", "replay_of", "flags",
        "client_stream", "server_stream", "reset", "head_format", "user", "status",
        "received_status", "received_body_bytes",
    ]

    package let state: ExchangeState
    package let flags: ExchangeFlags
    let scheme: String?
    let host: String?
    let port: UInt16?
    let path: String?
    let query: String?
    package let requestByteCount: Int64
    /// The number of bytes of the body that the client received.
    package let responseByteCount: Int64
    /// The number of bytes of the body that the server sent, if the client received another one.
    let receivedByteCount: Int64?
    /// Whether the client received nothing of the server's response.
    let isResponseWithheld: Bool
    let timeline: Timeline
    /// The numbers of the connections.
    package let client: Int64?
    package let server: Int64?
    let failure: ExchangeFailure?
    let upgradedTo: String?
    let replayOf: ExchangeID?
    /// How the heads are stored; nil for a format that this program does not know.
    let headFormat: HeadFormat?
    let clientStream: StreamID?
    let serverStream: StreamID?
    let reset: HTTP2Facts.Reset?
    let user: String?

    package init(_ row: some StoredValues) {
        state = ExchangeState(stored: row.integer(0) ?? 0)
        flags = ExchangeFlags(rawValue: row.integer(17) ?? 0)
        scheme = row.text(2)
        host = row.text(3)
        port = row.int(4).flatMap { UInt16(exactly: $0) }
        path = row.text(5)
        query = row.text(6)
        requestByteCount = row.integer(7) ?? 0
        responseByteCount = row.integer(8) ?? 0
        timeline = TimelineCoding.decode(
            row.bytes(9) ?? [], wallStart: row.integer(1) ?? 0,
            connectionReused: flags.contains(.connectionReused))
        client = row.integer(10)
        server = row.integer(11)
        failure = ExchangeColumns.failure(row)
        upgradedTo = row.text(15)
        replayOf = row.integer(16).map { ExchangeID(rawValue: $0) }
        headFormat = row.integer(21).flatMap(HeadFormat.init(rawValue:))
        clientStream = ExchangeColumns.stream(row.integer(18))
        serverStream = ExchangeColumns.stream(row.integer(19))
        reset = row.integer(20).flatMap(ResetCoding.reset)
        user = row.text(22)
        isResponseWithheld = row.integer(23) == nil && row.integer(24) != nil
        receivedByteCount = row.integer(25)
    }

    /// The HTTP/2 facts, or nil if neither side used HTTP/2.
    func http2(response: ResponseHead?) -> HTTP2Facts? {
        guard clientStream != nil || serverStream != nil else { return nil }
        var facts = HTTP2Facts()
        facts.clientStream = clientStream
        facts.serverStream = serverStream
        facts.serverVersion =
            serverStream != nil ? .http2 : server == nil ? nil : response?.version ?? .http11
        facts.reset = reset
        return facts
    }

    private static func stream(_ number: Int64?) -> StreamID? {
        number.flatMap { UInt32(exactly: $0) }.map(StreamID.init(rawValue:))
    }

    private static func failure(_ row: some StoredValues) -> ExchangeFailure? {
        guard let origin = row.text(12).flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = row.text(13).flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(origin: origin, kind: kind, message: row.text(14) ?? "")
    }
}

/// The parts of an exchange that `content` stores as bytes, bodies excepted.
package struct StoredHeads: Sendable {
    /// The columns of `content`, in the order in which `init(_:)` expects them.
    package static let columns = [
        "request_head", "response_head", "request_trailers", "response_trailers", "interim_heads",
        "request_head_sent", "request_head_codings", "response_head_codings", "frames",
        "response_head_sent",
    ]

    /// The request head as received.
    package var requestBytes: [UInt8]?
    /// The response head as received.
    package var responseBytes: [UInt8]?
    package var requestBytesSent: [UInt8]?
    package var responseBytesSent: [UInt8]?
    package var requestTrailers: HeaderFields?
    package var responseTrailers: HeaderFields?
    package var informational: [ResponseHead] = []
    package var requestCodings: [UInt8] = []
    package var responseCodings: [UInt8] = []
    package var frames: [UInt8] = []

    package init() {}

    package init(_ row: some StoredValues) {
        requestBytes = row.bytes(0)
        responseBytes = row.bytes(1)
        requestTrailers = StoredHeads.trailers(row.bytes(2))
        responseTrailers = StoredHeads.trailers(row.bytes(3))
        informational = StoredHeads.interimHeads(row.bytes(4) ?? [])
        requestBytesSent = row.bytes(5)
        requestCodings = row.bytes(6) ?? []
        responseCodings = row.bytes(7) ?? []
        frames = row.bytes(8) ?? []
        responseBytesSent = row.bytes(9)
    }

    /// The request head, or nil if it could not be parsed.
    package var requestHead: RequestHead? {
        StoredHeads.request(requestBytes)?.withCodings(requestCodings)
    }
    /// The request head as forwarded, or nil if it did not differ.
    package var sentRequestHead: RequestHead? { StoredHeads.request(requestBytesSent) }
    /// The response head as the client received it, or nil if it did not differ.
    package var sentResponseHead: ResponseHead? {
        responseBytesSent.flatMap {
            try? HeadParser.parseResponseHead($0, limits: StoredHeads.limits)
        }
    }
    /// The response head, or nil if there is none.
    package var responseHead: ResponseHead? {
        let head = responseBytes.flatMap {
            try? HeadParser.parseResponseHead(
                $0, limits: StoredHeads.limits, mayLackEmptyLine: true)
        }
        return head?.withCodings(responseCodings)
    }

    /// No limits: heads that were accepted under other limits must still be readable.
    private static let limits: WireLimits = {
        var limits = WireLimits()
        limits.methodByteCountMax = .max
        limits.requestLineByteCountMax = .max
        limits.headByteCountMax = .max
        limits.fieldCountMax = .max
        limits.responseHeadByteCountMax = .max
        limits.responseFieldCountMax = .max
        limits.trailerByteCountMax = .max
        return limits
    }()

    private static func request(_ bytes: [UInt8]?) -> RequestHead? {
        bytes.flatMap { try? HeadParser.parseRequestHead($0, limits: limits) }
    }

    private static func trailers(_ bytes: [UInt8]?) -> HeaderFields? {
        bytes.flatMap { try? HeadParser.parseTrailers($0, limits: limits) }
    }

    /// Parses interim heads stored one after another; each ends with its empty line.
    private static func interimHeads(_ bytes: [UInt8]) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        var start = 0
        var lineStart = 0
        for index in bytes.indices where bytes[index] == 0x0A {
            let line = bytes[lineStart..<index]
            lineStart = index + 1
            guard line.isEmpty || line.elementsEqual([0x0D]) else { continue }
            if let head = try? HeadParser.parseResponseHead(
                Array(bytes[start...index]), limits: limits)
            {
                heads.append(head)
            }
            start = index + 1
        }
        return heads
    }
}
