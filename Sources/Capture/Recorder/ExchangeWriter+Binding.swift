internal import HTTPModel

/// Puts the parts of an update into the columns of a row; NULL for what is not known.
extension ExchangeWriter {
    /// A row of `exchange`, whose parameters come behind some others.
    func bindExchange(
        _ statement: SQLiteStatement, _ update: borrowing ExchangeUpdate, _ row: ActiveExchange,
        after before: Int32
    ) {
        statement.bind(before + 1, update.id.rawValue)
        statement.bind(before + 2, update.timeline.wallStart)
        statement.bind(before + 3, update.state.stored)
        bindRequest(
            statement, update, method: before + 4, url: before + 5, version: before + 10,
            type: before + 13)
        bindResponse(
            statement, update, status: before + 11, reason: before + 12, type: before + 14)
        bindCounts(statement, row, first: before + 15)
        bindTimeline(statement, update, duration: before + 19, moments: before + 20)
        statement.bind(before + 21, update.clientConnection?.rawValue)
        statement.bind(before + 22, update.serverConnection?.rawValue)
        bindFailure(statement, update.failure, first: before + 23)
        arena.bindText(statement, before + 26, update.upgradedTo)
        statement.bind(before + 27, update.replayOf?.rawValue)
        statement.bind(before + 28, update.requestHead == nil ? 0 : 1)
        statement.bind(before + 29, row.flags.rawValue)
    }

    /// A row of `content`, the same way; `isShared` says that the bodies are in it.
    func bindContent(
        _ statement: SQLiteStatement, _ update: borrowing ExchangeUpdate, _ arena: BindArena,
        after before: Int32, isShared: Bool
    ) {
        func bind(_ index: Int32, _ octets: [UInt8]?) {
            if let octets {
                arena.bindBlob(statement, before + index, octets)
            } else {
                statement.bindNull(before + index)
            }
        }
        statement.bind(before + 1, update.id.rawValue)
        bind(2, update.requestHead?.octets ?? update.malformedHead)
        bind(3, update.responseHead?.octets)
        bind(4, trailerOctets(update.requestTrailers))
        bind(5, trailerOctets(update.responseTrailers))
        bind(6, nil)
        bind(7, nil)
        bind(8, interimOctets(update.informational))
        bind(9, isShared ? nonEmpty(update.requestBody.appended) : nil)
        bind(10, isShared ? nonEmpty(update.responseBody.appended) : nil)
    }

    /// Method; scheme, host, port, path and query from `url` on; version and type.
    func bindRequest(
        _ statement: SQLiteStatement, _ update: borrowing ExchangeUpdate, method: Int32,
        url first: Int32, version: Int32, type: Int32
    ) {
        let head = update.requestHead
        arena.bindText(statement, method, head?.method.rawValue)
        statement.bind(version, head.map { Int64($0.version.major) * 10 + Int64($0.version.minor) })
        bindType(statement, type, head?.fields)
        let url = update.url
        arena.bindText(statement, first, url?.scheme)
        arena.bindText(statement, first + 1, url?.host)
        statement.bind(first + 2, url.map { Int64($0.port) })
        arena.bindText(statement, first + 3, url?.path, otherwise: { _ in url?.pathText ?? "" })
        arena.bindText(statement, first + 4, url?.query, otherwise: { _ in url?.queryText ?? "" })
    }

    /// Status, reason and type.
    func bindResponse(
        _ statement: SQLiteStatement, _ update: borrowing ExchangeUpdate, status: Int32,
        reason: Int32, type: Int32
    ) {
        let head = update.responseHead
        statement.bind(status, head.map { Int64($0.status) })
        arena.bindText(
            statement, reason, head.map { $0.octets[$0.reasonRange] }, otherwise: ASCII.text)
        bindType(statement, type, head?.fields)
    }

    private func bindType(_ statement: SQLiteStatement, _ index: Int32, _ fields: HeaderFields?) {
        guard let fields, let line = fields.first(.contentType) else {
            return statement.bindNull(index)
        }
        arena.bindText(statement, index, fields.octets[line.valueRange], otherwise: ASCII.text)
    }

    /// The four body counts.
    func bindCounts(_ statement: SQLiteStatement, _ row: ActiveExchange, first: Int32) {
        statement.bind(first, row.request.seenByteCount)
        statement.bind(first + 1, row.request.keptByteCount)
        statement.bind(first + 2, row.response.seenByteCount)
        statement.bind(first + 3, row.response.keptByteCount)
    }

    /// The moments, and the duration of what has ended.
    func bindTimeline(
        _ statement: SQLiteStatement, _ update: borrowing ExchangeUpdate, duration: Int32,
        moments: Int32
    ) {
        var room = TimelineCoding.Room(repeating: 0)
        let encoded = TimelineCoding.encode(update.timeline, into: &room)
        let octets = room.span.extracting(0..<encoded.byteCount)
        arena.bind(statement, moments, octets, isText: false)
        statement.bind(duration, update.state == .active ? nil : encoded.spannedNs)
    }

    /// Origin, kind and message.
    func bindFailure(_ statement: SQLiteStatement, _ failure: ExchangeFailure?, first: Int32) {
        arena.bindText(statement, first, failure?.origin.rawValue)
        arena.bindText(statement, first + 1, failure?.kind.rawValue)
        arena.bindText(statement, first + 2, failure?.message)
    }

    /// Nothing instead of no octets: no body and an empty one are the same.
    private func nonEmpty(_ octets: [UInt8]) -> [UInt8]? { octets.isEmpty ? nil : octets }

    /// A trailer section with its empty line; nil where there is none.
    func trailerOctets(_ fields: HeaderFields?) -> [UInt8]? {
        guard let fields else { return nil }
        var octets: [UInt8] = []
        fields.write(into: &octets)
        octets += [0x0D, 0x0A]
        return octets
    }

    /// Interim heads behind each other; each ends with its empty line.
    func interimOctets(_ heads: [ResponseHead]) -> [UInt8]? {
        heads.isEmpty ? nil : Array(heads.map(\.octets).joined())
    }
}
