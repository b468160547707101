internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Body pieces, and the parameters found in queries and bodies.
extension ExchangeWriter {
    /// The size of the pieces that longer bodies are split into, in bytes: four fill a page.
    static let pieceByteCount = 4064

    /// Appends bytes to a body, in pieces. Bytes after a gap are dropped: the stored bytes are
    /// always the start of the body.
    func append(
        _ bytes: [UInt8], _ id: Int64, _ part: BodyPart, _ body: inout ActiveExchange.BodyState
    ) throws(StoreError) {
        guard body.counts.kept == body.counts.seen else { return }
        var start = 0
        while start < bytes.count, body.pieceCount <= Schema.ChunkKey.positionMax {
            let end = min(bytes.count, start + ExchangeWriter.pieceByteCount)
            let key = Schema.ChunkKey.key(exchange: id, part: part, position: body.pieceCount)
            try statements.insertPiece.run(key, blob: bytes.span.extracting(start..<end))
            body.pieceCount += 1
            body.counts.kept += Int64(end - start)
            start = end
        }
    }

    /// Stores frames that arrived after those in the row.
    func addFrames(
        _ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange
    ) throws(StoreError) {
        guard !update.frames.isEmpty, exchange.framePieceCount <= Schema.ChunkKey.positionMax
        else { return }
        try statements.insertFramePiece.run(
            update.id.rawValue << Schema.ChunkKey.exchangeShift | exchange.framePieceCount,
            blob: update.frames.span)
        exchange.framePieceCount += 1
    }

    /// Collects the parameters of a URL; returns the GraphQL operations found in them.
    func addQuery(_ row: borrowing RecordedRow) -> [GraphQLOperation] {
        guard let query = row.range(.querySent), !query.isEmpty else { return [] }
        let nothing: [UInt8] = []
        let found = ParameterExtractor.extract(
            query: row.bytes.span.extracting(query), contentType: nil, body: nothing.span)
        parameters.add(found, of: row.id)
        return GraphQLRequest.operations(in: found)
    }

    /// Collects the parameters of a request body that is stored in the row.
    func addSharedBody(_ row: borrowing RecordedRow) -> [GraphQLOperation] {
        guard row.flags.contains(.requestComplete), isDecodable(row.request),
            let body = row.range(.requestBody)
        else { return [] }
        return add(
            row.bytes.span.extracting(body), of: row.id, type: row.text(.requestType),
            coding: row.text(.requestCoding))
    }

    /// Collects the parameters of a request body if it is complete and stored in full. `isStored`
    /// says that earlier pieces are in the store.
    func addBody(
        _ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange, isStored: Bool
    ) throws(StoreError) {
        guard exchange.flags.contains(.requestComplete), !exchange.isRequestDecoded else { return }
        exchange.isRequestDecoded = true
        guard isDecodable(exchange.request.counts) else { return }
        let id = update.id.rawValue
        let bytes = isStored ? try storedRequestBody(id) : update.requestBody.appended
        let operations = add(
            bytes.span, of: id, type: exchange.requestType, coding: exchange.requestCoding)
        try self.update(operations, of: id)
    }

    func update(_ operations: [GraphQLOperation], of id: Int64) throws(StoreError) {
        guard !operations.isEmpty else { return }
        let statement = statements.updateGraphQL
        statement.bind(1, id)
        let text = GraphQLCoding.text(of: operations)
        arena.bindText(statement, 2, text.names)
        arena.bindText(statement, 3, text.types)
        try statement.run()
    }

    /// Whether there is a body, stored in full and not too long.
    private func isDecodable(_ body: RecordedRow.BodyCounts) -> Bool {
        body.kept > 0 && body.kept == body.seen && body.kept <= parameterBodyByteCountMax
    }

    private func add(
        _ bytes: Span<UInt8>, of id: Int64, type: String?, coding: String?
    ) -> [GraphQLOperation] {
        guard let coding else { return add(bytes, of: id, type: type) }
        let content = ContentDecoder.decode(bytes, contentEncoding: coding).bytes
        return add(content.span, of: id, type: type)
    }

    private func add(_ content: Span<UInt8>, of id: Int64, type: String?) -> [GraphQLOperation] {
        let nothing: [UInt8] = []
        let found = ParameterExtractor.extract(
            query: nothing.span, contentType: type, body: content)
        parameters.add(found, of: id)
        guard found.isEmpty else { return GraphQLRequest.operations(in: found) }
        return GraphQLRequest.operation(ofBody: content, contentType: type).map { [$0] } ?? []
    }

    private func storedRequestBody(_ id: Int64) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        let statement = statements.selectPieces
        statement.bind(1, Schema.ChunkKey.key(exchange: id, part: .request, position: 0))
        statement.bind(2, Schema.ChunkKey.key(exchange: id, part: .response, position: 0))
        try statement.forEachRow { bytes += $0.bytes(0) ?? [] }
        return bytes
    }
}

/// Writes parameters, those of several exchanges with one statement.
///
/// Confined to the recorder's thread; `flush` must be called inside a transaction.
final class ParameterWriter {
    private struct Row {
        let exchange: Int64
        /// The index of the parameter in its query or body, starting at 0.
        let place: Int64
        let parameter: ExtractedParameter
    }

    private let inserts: InsertStatements
    private let arena = BindArena()
    private var rows: [Row] = []

    init(_ connection: StoreConnection) throws(StoreError) {
        inserts = try InsertStatements(connection.database, "INSERT INTO parameter", columnCount: 5)
    }

    /// Takes the parameters of an exchange's query or body, to be written by `flush`.
    func add(_ parameters: [ExtractedParameter], of exchange: Int64) {
        for (index, parameter) in parameters.enumerated() {
            rows.append(Row(exchange: exchange, place: Int64(index), parameter: parameter))
        }
    }

    func flush() throws(StoreError) {
        try InsertStatements.forEachGroup(of: rows.count, insert)
        rows.removeAll(keepingCapacity: true)
    }

    func discard() { rows.removeAll() }

    private func insert(_ places: Range<Int>) throws(StoreError) {
        defer { arena.reset() }
        let statement = inserts[places.count]
        for (index, row) in rows[places].enumerated() {
            let before = inserts.offset(row: index)
            statement.bind(before + 1, row.exchange)
            arena.bindText(statement, before + 2, row.parameter.source.rawValue)
            statement.bind(before + 3, row.place)
            arena.bindText(statement, before + 4, row.parameter.name)
            arena.bindText(statement, before + 5, row.parameter.value)
        }
        try statement.run()
    }
}
