internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Reads whole exchanges from the tables.
enum StoredExchange {
    /// The parts of an exchange that `content` stores as bytes.
    struct Heads {
        var requestOctets: [UInt8]?
        var responseOctets: [UInt8]?
        var requestOctetsSent: [UInt8]?
        var responseOctetsSent: [UInt8]?
        var requestTrailers: HeaderFields?
        var responseTrailers: HeaderFields?
        var informational: [ResponseHead] = []
        var requestCodings: [UInt8] = []
        var responseCodings: [UInt8] = []
        var frames: [UInt8] = []

        /// The request head, or nil if it could not be parsed.
        var requestHead: RequestHead? {
            let head = requestOctets.flatMap {
                try? HeadParser.parseRequestHead($0, limits: limits)
            }
            return head?.withCodings(requestCodings)
        }
        /// The request head as forwarded, or nil if it did not differ.
        var sentRequestHead: RequestHead? {
            requestOctetsSent.flatMap { try? HeadParser.parseRequestHead($0, limits: limits) }
        }
        /// The response head as the client received it, or nil if it did not differ.
        var sentResponseHead: ResponseHead? {
            responseOctetsSent.flatMap { try? HeadParser.parseResponseHead($0, limits: limits) }
        }
        /// The response head, or nil if there is none.
        var responseHead: ResponseHead? {
            let head = responseOctets.flatMap {
                try? HeadParser.parseResponseHead($0, limits: limits, mayLackEmptyLine: true)
            }
            return head?.withCodings(responseCodings)
        }
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

    static func heads(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Heads {
        let statement = try database.statement(
            """
            SELECT request_head, response_head, request_trailers, response_trailers,
              interim_heads, request_head_sent, request_head_codings, response_head_codings,
              frames, response_head_sent
            FROM content WHERE exchange_id = ?
            """)
        statement.bind([.integer(id)])
        return try statement.first(heads) ?? Heads()
    }

    private static func heads(_ row: SQLiteRow) -> Heads {
        Heads(
            requestOctets: row.octets(0), responseOctets: row.octets(1),
            requestOctetsSent: row.octets(5), responseOctetsSent: row.octets(9),
            requestTrailers: trailers(row.octets(2)),
            responseTrailers: trailers(row.octets(3)),
            informational: interimHeads(row.octets(4) ?? []),
            requestCodings: row.octets(6) ?? [], responseCodings: row.octets(7) ?? [],
            frames: row.octets(8) ?? [])
    }

    private static func trailers(_ octets: [UInt8]?) -> HeaderFields? {
        octets.flatMap { try? HeadParser.parseTrailers($0, limits: limits) }
    }

    /// Parses interim heads stored one after another; each ends with its empty line.
    private static func interimHeads(_ octets: [UInt8]) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        var start = 0
        var lineStart = 0
        for index in octets.indices where octets[index] == 0x0A {
            let line = octets[lineStart..<index]
            lineStart = index + 1
            guard line.isEmpty || line.elementsEqual([0x0D]) else { continue }
            if let head = try? HeadParser.parseResponseHead(
                Array(octets[start...index]), limits: limits)
            {
                heads.append(head)
            }
            start = index + 1
        }
        return heads
    }

    /// Loads an exchange, or returns nil if it does not exist. Bodies longer than the limit are
    /// truncated.
    static func load(
        _ id: Int64, bodyByteCountMax: Int, _ database: SQLiteConnection
    ) throws(StoreError) -> Exchange? {
        guard let columns = try database.first(columnsSQL, [.integer(id)], Columns.init) else {
            return nil
        }
        let heads = try heads(of: id, database)
        let requestHead = columns.flags.contains(.malformedHead) ? nil : heads.requestHead
        var request = Request(
            url: url(columns, requestHead), head: requestHead,
            body: Body(
                byteCount: columns.requestByteCount,
                kept: try StoredBody.octets(
                    of: id, .request, database, byteCountMax: bodyByteCountMax)),
            trailers: heads.requestTrailers)
        request.sentHead = heads.sentRequestHead
        request.sentBody = try sentBody(
            of: id, .requestSent, request.sentHead?.fields, bodyByteCountMax, database)
        if columns.isMalformedHTTP2 {
            request.malformedCodings = heads.requestCodings.compactMap(FieldCoding.init(rawValue:))
        }
        request.keepsForeignHost = columns.flags.contains(.keepsForeignHost)
        var exchange = Exchange(
            id: ExchangeID(rawValue: id), state: columns.state, request: request,
            response: try response(
                of: id, heads, byteCount: columns.responseByteCount, bodyByteCountMax, database),
            informational: heads.informational, timeline: columns.timeline)
        if let client = columns.client { exchange.client = try connection(client, database) }
        if let server = columns.server { exchange.server = try connection(server, database) }
        if columns.flags.contains(.responseFault) {
            exchange.responseFault = try responseFault(of: id, database)
        }
        if columns.flags.contains(.appliedRules) {
            exchange.appliedRules = try appliedRules(of: id, database)
        }
        exchange.http2 = columns.http2(response: heads.responseHead)
        exchange.frames = try heads.frames + laterFrames(of: id, database)
        exchange.failure = columns.failure
        exchange.user = columns.user
        exchange.upgradedTo = columns.upgradedTo
        exchange.replayOf = columns.replayOf
        exchange.annotations = try annotations(of: id, database)
        return exchange
    }

    private static let columnsSQL = """
        SELECT state, started_ns, scheme, host, port, path, query, request_body_bytes,
          response_body_bytes, timeline, client_connection_id, server_connection_id,
          error_origin, error_kind, error, upgraded_to, replay_of, flags, client_stream,
          server_stream, reset, head_format, user
        FROM exchange WHERE id = ?
        """

    /// The values from the table `exchange`.
    private struct Columns {
        let state: ExchangeState
        let flags: ExchangeFlags
        let scheme: String?
        let host: String?
        let port: UInt16?
        let path: String?
        let query: String?
        let requestByteCount: Int64
        let responseByteCount: Int64
        let timeline: Timeline
        let client: Int64?
        let server: Int64?
        let failure: ExchangeFailure?
        let upgradedTo: String?
        let replayOf: ExchangeID?
        let isMalformedHTTP2: Bool
        let clientStream: StreamID?
        let serverStream: StreamID?
        let reset: HTTP2Facts.Reset?
        let user: String?

        init(_ row: SQLiteRow) {
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
                row.octets(9) ?? [], wallStart: row.integer(1) ?? 0,
                connectionReused: flags.contains(.connectionReused))
            client = row.integer(10)
            server = row.integer(11)
            failure = StoredExchange.failure(row)
            upgradedTo = row.text(15)
            replayOf = row.integer(16).map { ExchangeID(rawValue: $0) }
            isMalformedHTTP2 = row.integer(21) == HeadFormat.malformedHTTP2.rawValue
            clientStream = StoredExchange.stream(row.integer(18))
            serverStream = StoredExchange.stream(row.integer(19))
            reset = row.integer(20).flatMap(ResetCoding.reset)
            user = row.text(22)
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
    }

    private static func stream(_ number: Int64?) -> StreamID? {
        number.flatMap { UInt32(exactly: $0) }.map(StreamID.init(rawValue:))
    }

    private static func laterFrames(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8] {
        guard Schema.ChunkKey.exchangeIDs.contains(id) else { return [] }
        let first = id << Schema.ChunkKey.exchangeShift
        let statement = try database.statement(
            "SELECT octets FROM frame_piece WHERE key BETWEEN ? AND ? ORDER BY key")
        statement.bind([.integer(first), .integer(first + Schema.ChunkKey.positionMax)])
        var octets: [UInt8] = []
        try statement.takeRows(while: { row in
            octets += row.octets(0) ?? []
            return true
        })
        return octets
    }

    private static func url(_ columns: Columns, _ head: RequestHead?) -> RawURL? {
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

    private static func failure(_ row: SQLiteRow) -> ExchangeFailure? {
        guard let origin = row.text(12).flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = row.text(13).flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(origin: origin, kind: kind, message: row.text(14) ?? "")
    }
}
