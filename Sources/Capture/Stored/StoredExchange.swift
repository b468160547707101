internal import GRDB
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Whole exchanges out of the tables.
enum StoredExchange {
    /// The parts of an exchange that `content` keeps as octets.
    struct Heads {
        var requestOctets: [UInt8]?
        var responseOctets: [UInt8]?
        var requestOctetsSent: [UInt8]?
        var requestTrailers: HeaderFields?
        var responseTrailers: HeaderFields?
        var informational: [ResponseHead] = []

        /// The request head; nil where it is not one.
        var requestHead: RequestHead? {
            requestOctets.flatMap { try? HeadParser.parseRequestHead($0, limits: limits) }
        }
        /// The request head as it was sent; nil where it did not differ.
        var sentRequestHead: RequestHead? {
            requestOctetsSent.flatMap { try? HeadParser.parseRequestHead($0, limits: limits) }
        }
        /// The response head; nil where there is none.
        var responseHead: ResponseHead? {
            responseOctets.flatMap {
                try? HeadParser.parseResponseHead($0, limits: limits, mayLackEmptyLine: true)
            }
        }
    }

    /// What was let in under other limits must come out again.
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

    static func heads(of id: Int64, _ database: Database) throws -> Heads {
        let statement = try database.cachedStatement(
            sql: """
                SELECT request_head, response_head, request_trailers, response_trailers,
                  interim_heads, request_head_sent
                FROM content WHERE exchange_id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [id]) else { return Heads() }
        let columns = ColumnReader(row)
        return Heads(
            requestOctets: columns.octets(0), responseOctets: columns.octets(1),
            requestOctetsSent: columns.octets(5),
            requestTrailers: columns.octets(2).flatMap {
                try? HeadParser.parseTrailers($0, limits: limits)
            },
            responseTrailers: columns.octets(3).flatMap {
                try? HeadParser.parseTrailers($0, limits: limits)
            },
            informational: interimHeads(columns.octets(4) ?? []))
    }

    /// Heads that lie behind each other; each ends with its empty line.
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

    /// The exchange; nil where there is none. Bodies longer than the limit are cut.
    static func load(
        _ id: Int64, bodyByteCountMax: Int, _ database: Database
    ) throws -> Exchange? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT state, started_ns, scheme, host, port, path, query, request_body_bytes,
                      response_body_bytes, timeline, client_connection_id, server_connection_id,
                      error_origin, error_kind, error, upgraded_to, replay_of, flags
                    FROM exchange WHERE id = ?
                    """, arguments: [id])
        else { return nil }
        let columns = ColumnReader(row)
        let heads = try heads(of: id, database)
        let flags = ExchangeFlags(rawValue: columns.integer(17) ?? 0)
        let requestHead = flags.contains(.malformedHead) ? nil : heads.requestHead
        var request = Request(
            url: url(columns, requestHead), head: requestHead,
            body: Body(
                byteCount: columns.integer(7) ?? 0,
                kept: try StoredBody.octets(
                    of: id, .request, database, byteCountMax: bodyByteCountMax)),
            trailers: heads.requestTrailers)
        request.sentHead = heads.sentRequestHead
        request.keepsForeignHost = flags.contains(.keepsForeignHost)
        var exchange = Exchange(
            id: ExchangeID(rawValue: id), state: ExchangeState(stored: columns.integer(0) ?? 0),
            request: request,
            response: try response(
                heads, byteCount: columns.integer(8) ?? 0,
                octets: StoredBody.octets(
                    of: id, .response, database, byteCountMax: bodyByteCountMax)),
            informational: heads.informational,
            timeline: TimelineCoding.decode(
                columns.octets(9) ?? [], wallStart: columns.integer(1) ?? 0,
                connectionReused: flags.contains(.connectionReused)))
        exchange.client = try columns.integer(10).flatMap { try connection($0, database) }
        exchange.server = try columns.integer(11).flatMap { try connection($0, database) }
        if flags.contains(.responseFault) {
            exchange.responseFault = try responseFault(of: id, database)
        }
        exchange.failure = failure(columns)
        exchange.upgradedTo = columns.text(15)
        exchange.replayOf = columns.integer(16).map { ExchangeID(rawValue: $0) }
        exchange.annotations = try annotations(of: id, database)
        return exchange
    }

    private static func response(
        _ heads: Heads, byteCount: Int64, octets: [UInt8]
    ) -> Response? {
        heads.responseHead.map {
            Response(
                head: $0, body: Body(byteCount: byteCount, kept: octets),
                trailers: heads.responseTrailers)
        }
    }

    private static func url(_ columns: ColumnReader, _ head: RequestHead?) -> RawURL? {
        guard let scheme = columns.text(2), let host = columns.text(3),
            let port = columns.int(4).flatMap({ UInt16(exactly: $0) }), let path = columns.text(5)
        else { return nil }
        // Text has another form of bytes that are not UTF-8.
        let receiver = Receiver.origin(scheme: scheme, host: host, port: port)
        if let head, !ASCII.isASCII(head.target.span),
            case .forward(let sent)? = try? EffectiveTarget.resolve(head, via: receiver)
        {
            return sent
        }
        let origin = path + (columns.text(6).map { "?" + $0 } ?? "")
        return RawURL(scheme: scheme, host: host, port: port, origin: Array(origin.utf8))
    }

    private static func failure(_ columns: ColumnReader) -> ExchangeFailure? {
        guard let origin = columns.text(12).flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = columns.text(13).flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(origin: origin, kind: kind, message: columns.text(14) ?? "")
    }
}
