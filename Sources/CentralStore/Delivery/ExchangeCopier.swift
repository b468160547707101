internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Writes exchanges into a central store, each table by one COPY, inside a transaction.
struct ExchangeCopier {
    /// The longest body that is stored beside its heads, in bytes; longer ones are cut into pieces
    /// of this length, so that readers need not take them whole.
    static let pieceByteCount = 256 << 10

    private let connection: any CentralConnection
    private let lineage: ShipperLineage
    /// The columns of `exchange` in a local store that the central one has, too.
    private let columns: [StoredRecord.Column]
    private let hasHolds: Bool
    private var shipper: Int64 { lineage.current }

    /// - Parameter additions: The columns that the store has in addition to those of its version.
    init(
        _ connection: any CentralConnection, _ lineage: ShipperLineage,
        _ additions: CentralAdditions
    ) {
        self.connection = connection
        self.lineage = lineage
        columns = StoredRecord.Column.allCases.filter {
            additions.hasReceivedStatus
                || ![.receivedStatus, .receivedBodyBytes, .heldNs].contains($0)
        }
        hasHolds = additions.hasReceivedStatus
    }

    func copy(_ exchanges: [DeliveredExchange]) throws(CentralError) {
        guard !exchanges.isEmpty else { return }
        try table("exchange", exchangeColumns) { buffer throws(CentralError) in
            for exchange in exchanges { try row(exchange, &buffer) }
        }
        try table("content", ExchangeCopier.contentColumns) { buffer throws(CentralError) in
            for exchange in exchanges { try content(exchange, &buffer) }
        }
        try copyParameters(exchanges)
        try copyAppliedRules(exchanges)
        try copyPieces(exchanges)
        try copyMessages(exchanges)
    }

    private func table(
        _ name: String, _ columns: [String], _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        let list = columns.joined(separator: ", ")
        try connection.copy("COPY \(name) (\(list)) FROM STDIN (FORMAT binary)", body)
    }

    private func id(_ exchange: DeliveredExchange) -> Int64 { lineage.id(of: exchange.record.id) }

    // MARK: exchange

    /// The columns that are not named as in a local store.
    private static let renamed = ["user": "user_name"]
    private var exchangeColumns: [String] {
        columns.map { column in
            let name = StoredRecord.columnNames[column.rawValue]
            return ExchangeCopier.renamed[name] ?? name
        } + [
            "shipper_no", "started_at", "client_address", "named_client_address", "process", "pid",
            "server_address", "tls_version", "listener", "upstream", "rules", "note", "tags",
            "pinned",
        ]
    }

    private func row(
        _ exchange: DeliveredExchange, _ buffer: inout CopyBuffer
    ) throws(CentralError) {
        let record = exchange.record
        try buffer.startRow(exchangeColumns.count)
        for column in columns { put(column, record, &buffer) }
        buffer.integer(lineage.shipper(of: record.id))
        buffer.timestamp(ns: record.startedNs)
        buffer.text(exchange.client?.peerAddress)
        buffer.text(exchange.client?.arrival?.proxyProtocolPeer)
        buffer.text(exchange.client?.process?.name)
        buffer.integer(exchange.client?.process.map { Int64($0.pid) })
        buffer.text(exchange.server?.peerAddress)
        let security = exchange.server?.security ?? exchange.client?.security
        buffer.text(security?.version)
        buffer.text(exchange.client?.arrival?.listener)
        buffer.text(exchange.server?.upstream)
        let rules = AppliedRule.names(record.appliedRules.map(\.rule))
        buffer.texts(rules.isEmpty ? nil : rules)
        buffer.text(record.annotations.note)
        buffer.texts(record.annotations.tags)
        buffer.boolean(record.annotations.isPinned)
    }

    private func put(
        _ column: StoredRecord.Column, _ record: StoredRecord, _ buffer: inout CopyBuffer
    ) {
        let index = column.rawValue
        switch column {
        case .id: buffer.bigint(lineage.id(of: record.id))
        case .replayOf: buffer.bigint(record.values.integer(index).map(lineage.id))
        case .clientConnection, .serverConnection:
            buffer.bigint(
                record.values.integer(index).map { CentralID.id(shipper: shipper, number: $0) })
        case .state, .headFormat, .httpVersion: buffer.smallint(record.values.integer(index))
        case .port, .flags, .status, .receivedStatus: buffer.integer(record.values.integer(index))
        case .startedNs, .requestBytes, .responseBytes, .requestKeptBytes, .responseKeptBytes:
            buffer.bigint(record.values.integer(index) ?? 0)
        case .clientStream, .serverStream, .reset, .durationNs, .messageCount, .grpcStatus,
            .receivedBodyBytes, .heldNs:
            buffer.bigint(record.values.integer(index))
        case .timeline: buffer.bytea(record.values.bytes(index) ?? [])
        case .scheme, .host, .path, .query, .errorOrigin, .errorKind, .error, .upgradedTo, .user,
            .method, .reason, .requestType, .responseType, .graphQLOperation, .graphQLType:
            buffer.text(record.values.text(index))
        }
    }

    // MARK: content

    private static let contentColumns =
        ["exchange_id", "started_at"] + StoredHeads.columns + [
            "request_body", "response_body", "request_body_sent", "response_body_sent",
            "refused_octets", "refused_reason", "repaired",
        ]

    private func content(
        _ exchange: DeliveredExchange, _ buffer: inout CopyBuffer
    ) throws(CentralError) {
        let record = exchange.record
        try buffer.startRow(ExchangeCopier.contentColumns.count)
        buffer.bigint(id(exchange))
        buffer.timestamp(ns: record.startedNs)
        for index in StoredHeads.columns.indices { buffer.bytea(record.heads.bytes(index)) }
        buffer.bytea(short(record.requestBody))
        buffer.bytea(short(record.responseBody))
        buffer.bytea(record.requestBodySent)
        buffer.bytea(record.responseBodySent)
        buffer.bytea(record.responseFault?.refusal?.bytes)
        buffer.text(record.responseFault?.refusal?.reason)
        buffer.text(ResponseFaultCoding.text(of: record.responseFault?.repairs ?? []))
    }

    private func short(_ body: [UInt8]?) -> [UInt8]? {
        guard let body, !body.isEmpty, body.count <= ExchangeCopier.pieceByteCount else {
            return nil
        }
        return body
    }

    // MARK: Further tables

    private func copyParameters(_ exchanges: [DeliveredExchange]) throws(CentralError) {
        guard exchanges.contains(where: { !$0.record.parameters.isEmpty }) else { return }
        let columns = [
            "exchange_id", "started_at", "source", "position", "name", "value", "name_octets",
            "value_octets",
        ]
        try table("parameter", columns) { buffer throws(CentralError) in
            for exchange in exchanges {
                for stored in exchange.record.parameters {
                    let parameter = stored.parameter
                    try buffer.startRow(columns.count)
                    buffer.bigint(id(exchange))
                    buffer.timestamp(ns: exchange.record.startedNs)
                    buffer.text(parameter.source.rawValue)
                    buffer.integer(stored.position)
                    buffer.text(parameter.name)
                    buffer.text(parameter.value)
                    buffer.bytea(lost(parameter.name))
                    buffer.bytea(parameter.value.flatMap(lost))
                }
            }
        }
    }

    /// The bytes of a text that loses something as a text; nil for others.
    private func lost(_ text: String) -> [UInt8]? { text.utf8.contains(0) ? Array(text.utf8) : nil }

    private func copyAppliedRules(_ exchanges: [DeliveredExchange]) throws(CentralError) {
        guard exchanges.contains(where: { !$0.record.appliedRules.isEmpty }) else { return }
        let columns =
            ["exchange_id", "started_at", "position", "rule", "phase", "outcome", "detail"]
            + (hasHolds ? ["hold_start_ns", "hold_ns"] : [])
        try table("applied_rule", columns) { buffer throws(CentralError) in
            for exchange in exchanges {
                for (position, rule) in exchange.record.appliedRules.enumerated() {
                    try buffer.startRow(columns.count)
                    buffer.bigint(id(exchange))
                    buffer.timestamp(ns: exchange.record.startedNs)
                    buffer.integer(Int64(position))
                    buffer.text(rule.rule)
                    buffer.text(rule.phase.rawValue)
                    buffer.text(rule.outcome)
                    buffer.text(rule.detail)
                    guard hasHolds else { continue }
                    buffer.bigint(rule.hold?.startNs)
                    buffer.bigint(rule.hold?.durationNs)
                }
            }
        }
    }

    private func copyPieces(_ exchanges: [DeliveredExchange]) throws(CentralError) {
        guard exchanges.contains(where: hasPieces) else { return }
        let columns = ["exchange_id", "started_at", "part", "position", "octets"]
        try table("body_piece", columns) { buffer throws(CentralError) in
            for exchange in exchanges where hasPieces(exchange) {
                for part in [StoredMessage.request, .response] {
                    try pieces(exchange, part, &buffer)
                }
            }
        }
    }

    private func hasPieces(_ exchange: DeliveredExchange) -> Bool {
        exchange.longBody != nil
            || (exchange.record.requestBody?.count ?? 0) > ExchangeCopier.pieceByteCount
            || (exchange.record.responseBody?.count ?? 0) > ExchangeCopier.pieceByteCount
    }

    private func pieces(
        _ exchange: DeliveredExchange, _ part: StoredMessage, _ buffer: inout CopyBuffer
    ) throws(CentralError) {
        let body = part == .request ? exchange.record.requestBody : exchange.record.responseBody
        var position: Int64 = 0
        func put(_ bytes: ArraySlice<UInt8>, _ buffer: inout CopyBuffer) throws(CentralError) {
            try buffer.startRow(5)
            buffer.bigint(id(exchange))
            buffer.timestamp(ns: exchange.record.startedNs)
            buffer.smallint(part == .request ? 0 : 1)
            buffer.integer(position)
            buffer.bytea(Array(bytes))
            position += 1
        }
        if let body {
            guard body.count > ExchangeCopier.pieceByteCount else { return }
            for start in stride(from: 0, to: body.count, by: ExchangeCopier.pieceByteCount) {
                try put(
                    body[start..<min(body.count, start + ExchangeCopier.pieceByteCount)], &buffer)
            }
        } else if let longBody = exchange.longBody {
            try attempt { try longBody(part) { try put($0[...], &buffer) } }
        }
    }

    private func copyMessages(_ exchanges: [DeliveredExchange]) throws(CentralError) {
        guard exchanges.contains(where: { $0.messages != nil }) else { return }
        let columns = [
            "exchange_id", "started_at", "position", "direction", "kind", "flags", "time_ns",
            "bytes", "wire_bytes", "body_offset", "octets", "problem",
        ]
        try table("message", columns) { buffer throws(CentralError) in
            for exchange in exchanges {
                guard let messages = exchange.messages else { continue }
                try attempt {
                    try messages { page in
                        for message in page {
                            try buffer.startRow(columns.count)
                            buffer.bigint(id(exchange))
                            buffer.timestamp(ns: exchange.record.startedNs)
                            put(message, exchange, &buffer)
                        }
                    }
                }
            }
        }
    }

    private func put(
        _ message: MessageRow, _ exchange: DeliveredExchange, _ buffer: inout CopyBuffer
    ) {
        buffer.bigint(message.position)
        buffer.smallint(message.direction.rawValue)
        buffer.smallint(message.kind.rawValue)
        buffer.bigint(message.flags.rawValue)
        buffer.bigint(message.atNs &- exchange.record.startedNs)
        buffer.bigint(message.byteCount)
        buffer.bigint(message.wireByteCount)
        buffer.bigint(message.bodyStart)
        buffer.bytea(message.bodyStart == nil ? message.bytes : nil)
        buffer.text(message.problem)
    }

    /// Errors of the local store end the delivery of a batch as those of the central one do.
    private func attempt(_ body: () throws -> Void) throws(CentralError) {
        do {
            try body()
        } catch let error as CentralError {
            throw error
        } catch {
            throw .connection("the local store: \(error)")
        }
    }
}
