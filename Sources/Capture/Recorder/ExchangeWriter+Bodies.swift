internal import ContentCoding
internal import HTTPModel
internal import ParameterCoding

/// Body pieces, and the parameters that queries and bodies give.
extension ExchangeWriter {
    /// Appends octets to a body, in pieces. What comes behind a gap is left out: the kept octets
    /// are always the body's beginning.
    func append(
        _ octets: [UInt8], _ id: Int64, _ part: BodyPart, _ body: inout ActiveExchange.BodyState
    ) throws(StoreError) {
        guard body.keptByteCount == body.seenByteCount else { return }
        var start = 0
        while start < octets.count, body.pieceCount <= Schema.ChunkKey.positionMax {
            let end = min(octets.count, start + ExchangeWriter.pieceByteCount)
            let key = Schema.ChunkKey.key(exchange: id, part: part, position: body.pieceCount)
            try insertPiece(octets.span.extracting(start..<end), key: key)
            body.pieceCount += 1
            body.keptByteCount += Int64(end - start)
            start = end
        }
    }

    private func insertPiece(_ octets: Span<UInt8>, key: Int64) throws(StoreError) {
        let statement = statements.insertPiece
        statement.bind(1, key)
        try octets.withUnsafeBytes { (octets) throws(StoreError) in
            statement.bind(2, octets, isText: false)
            try statement.run()
        }
    }

    /// Takes the parameters of a URL.
    func addQuery(of url: RawURL?, _ id: Int64) {
        guard let query = url?.query, !query.isEmpty else { return }
        let nothing: [UInt8] = []
        parameters.add(
            ParameterExtractor.extract(query: query.span, contentType: nil, body: nothing.span),
            of: id)
    }

    /// Takes the parameters of a request body once it is complete and kept whole. `isStored` says
    /// that earlier pieces are in the store.
    func addBody(
        _ update: borrowing ExchangeUpdate, _ row: inout ActiveExchange, isStored: Bool
    ) throws(StoreError) {
        guard row.flags.contains(.requestComplete), !row.isRequestDecoded else { return }
        row.isRequestDecoded = true
        let count = row.request.keptByteCount
        guard count > 0, count == row.request.seenByteCount, count <= parameterBodyByteCountMax
        else { return }
        let octets =
            isStored ? try storedRequestBody(update.id.rawValue) : update.requestBody.appended
        parameters.add(parameters(of: octets, row), of: update.id.rawValue)
    }

    private func parameters(of octets: [UInt8], _ row: ActiveExchange) -> [ExtractedParameter] {
        let nothing: [UInt8] = []
        guard let coding = row.requestCoding else {
            return ParameterExtractor.extract(
                query: nothing.span, contentType: row.requestType, body: octets.span)
        }
        let content = ContentDecoder.decode(octets.span, contentEncoding: coding).octets
        return ParameterExtractor.extract(
            query: nothing.span, contentType: row.requestType, body: content.span)
    }

    private func storedRequestBody(_ id: Int64) throws(StoreError) -> [UInt8] {
        var octets: [UInt8] = []
        let statement = statements.selectPieces
        statement.bind(1, Schema.ChunkKey.key(exchange: id, part: .request, position: 0))
        statement.bind(2, Schema.ChunkKey.key(exchange: id, part: .response, position: 0))
        try statement.forEachRow { octets += $0.columnOctets(0) }
        return octets
    }
}
