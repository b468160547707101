internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydStoreCoding

/// Binds the parts of a row to statement parameters.
extension ExchangeWriter {
    /// Binds a row of `exchange`. `graphQL` are the operations found in its parameters.
    func bindExchange(
        _ values: RowBinding, _ row: borrowing RecordedRow, _ graphQL: [GraphQLOperation]
    ) {
        values.bind(1, row.id)
        values.bind(2, row.startedNs)
        values.bind(3, row.state.stored)
        bindRequest(values, row, method: 4, url: 5, version: 10, type: 13)
        bindResponse(values, row, status: 11, reason: 12, type: 14)
        bindCounts(values, row, first: 15)
        bindTimeline(values, row, duration: 19, moments: 20)
        values.bind(21, row.clientConnection)
        values.bind(22, row.serverConnection)
        bindFailure(values, row, first: 23)
        values.bind(26, .upgradedTo, row)
        values.bind(27, row.replayOf)
        values.bind(28, (row.headFormat ?? .malformed).rawValue)
        values.bind(29, row.flags.rawValue)
        bindHTTP2(values, row, first: 30)
        bindMessages(values, row, first: 33)
        bindGraphQL(values, graphQL, first: 35)
        values.bind(37, .user, row)
        // 38 and 39, what was received, are known once the client has been sent something else.
        values.bind(40, row.heldNs)
    }

    /// Binds names and types of operations, one per line; NULL if there are none.
    func bindGraphQL(_ values: RowBinding, _ operations: [GraphQLOperation], first: Int32) {
        guard !operations.isEmpty else {
            values.bind(first, nil)
            values.bind(first + 1, nil)
            return
        }
        let text = GraphQLCoding.text(of: operations)
        arena.bindText(values.statement, values.before + first, text.names)
        arena.bindText(values.statement, values.before + first + 1, text.types)
    }

    /// Binds the number of messages and the status of a gRPC call.
    func bindMessages(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, row.messageCount)
        values.bind(first + 1, row.grpcStatus)
    }

    /// Binds a row of `content`, with the bodies if they are stored in it.
    func bindContent(_ values: RowBinding, _ row: borrowing RecordedRow) {
        values.bind(1, row.id)
        values.bind(2, .requestHead, row)
        values.bind(3, .responseHead, row)
        values.bind(4, .requestTrailers, row)
        values.bind(5, .responseTrailers, row)
        values.bind(6, .requestHeadSent, row)
        // The response head as forwarded is not known yet.
        values.bind(7, nil)
        values.bind(8, .interimHeads, row)
        values.bind(9, .requestBody, row)
        values.bind(10, .responseBody, row)
        values.bind(11, .requestHeadCodings, row)
        values.bind(12, .responseHeadCodings, row)
        values.bind(13, .frames, row)
    }

    /// Binds both stream IDs and the reset.
    func bindHTTP2(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        let facts = row.http2
        values.bind(first, facts?.clientStream.map { Int64($0.rawValue) })
        values.bind(first + 1, facts?.serverStream.map { Int64($0.rawValue) })
        values.bind(first + 2, facts?.reset.map(ResetCoding.number))
    }

    /// Binds the method, then scheme, host, port, path and query from `url` on, then version and
    /// type.
    func bindRequest(
        _ values: RowBinding, _ row: borrowing RecordedRow, method: Int32, url first: Int32,
        version: Int32, type: Int32
    ) {
        values.bind(method, .method, row)
        values.bind(first, .scheme, row)
        values.bind(first + 1, .host, row)
        values.bind(first + 2, row.port)
        values.bind(first + 3, .path, row)
        values.bind(first + 4, .query, row)
        values.bind(version, row.version)
        values.bind(type, .requestType, row)
    }

    /// Binds status, reason and type.
    func bindResponse(
        _ values: RowBinding, _ row: borrowing RecordedRow, status: Int32, reason: Int32,
        type: Int32
    ) {
        values.bind(status, row.status)
        values.bind(reason, .reason, row)
        values.bind(type, .responseType, row)
    }

    /// Binds the four body counts.
    func bindCounts(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, row.request.seen)
        values.bind(first + 1, row.request.kept)
        values.bind(first + 2, row.response.seen)
        values.bind(first + 3, row.response.kept)
    }

    /// Binds the duration of an ended exchange, and the timeline.
    func bindTimeline(
        _ values: RowBinding, _ row: borrowing RecordedRow, duration: Int32, moments: Int32
    ) {
        values.bind(duration, row.durationNs)
        values.bind(moments, .timeline, row)
    }

    /// Binds the origin, kind and message of a failure.
    func bindFailure(_ values: RowBinding, _ row: borrowing RecordedRow, first: Int32) {
        values.bind(first, .errorOrigin, row)
        values.bind(first + 1, .errorKind, row)
        values.bind(first + 2, .error, row)
    }
}
