internal import ProxydCaptureModel
internal import ProxydCharsets
internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// What one exchange contributes to the search files.
struct SearchDocument {
    let id: Int64
    let startedNs: Int64
    /// The bytes of the URL, or nil if the exchange has not ended and anything may still change.
    let url: [UInt8]?
    /// Bodies that are text and short enough, and messages.
    private(set) var bodies: [(side: SearchSchema.Side, bytes: [UInt8])] = []
    /// Whether a body or message that a search may look for is left out.
    private(set) var isBodyMissing = false

    /// The approximate number of bytes to index.
    var byteCount: Int { bodies.reduce(url?.count ?? 0) { $0 + $1.bytes.count } }

    /// Loads the next exchanges after a number, several at a time; fewer if bodies are long.
    static func load(
        after id: Int64, through last: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [SearchDocument] {
        let statement = try database.statement(
            """
            SELECT id, started_ns, state, CAST(\(urlExpression) AS BLOB),
              request_kept_bytes, response_kept_bytes,
              request_body, response_body, request_head, response_head,
              EXISTS (SELECT 1 FROM message WHERE \(SQLiteDialect.ofExchange)),
              request_body_bytes > request_kept_bytes, response_body_bytes > response_kept_bytes
            FROM exchange LEFT JOIN content ON content.exchange_id = exchange.id
            WHERE id > ? AND id <= ? ORDER BY id LIMIT 32
            """)
        statement.bind([.integer(id), .integer(last)])
        var documents: [SearchDocument] = []
        var byteCount = 0
        try statement.takeRows(while: { (row) throws(StoreError) in
            let document = try SearchDocument(row, database)
            byteCount += document.byteCount
            documents.append(document)
            return byteCount < SearchSchema.pieceByteCount
        })
        return documents
    }

    private init(_ row: SQLiteRow, _ database: SQLiteConnection) throws(StoreError) {
        id = row.integer(0) ?? 0
        startedNs = row.integer(1) ?? 0
        let hasEnded = row.integer(2) != ExchangeState.active.stored
        url = hasEnded ? row.bytes(3) ?? [] : nil
        guard hasEnded else { return }
        for (side, place) in [(SearchSchema.Side.request, 0), (.response, 1)] {
            let keptByteCount = row.integer(4 + place) ?? 0
            guard keptByteCount > 0 else { continue }
            let isCut = row.integer(11 + place) == 1
            if let bytes = row.bytes(6 + place), let head = row.bytes(8 + place),
                !SearchDocument.coding.isFound(in: head.span)
            {
                let isTyped = SearchDocument.typed.contains { $0.isFound(in: head.span) }
                let isPlain = PlainASCII.holds(for: bytes.span)
                let type = isPlain && !isTyped ? nil : SearchDocument.contentType(side, head)
                addText(side, BodyText.searched(bytes, contentType: type, isTruncated: isCut))
            } else {
                try add(side, keptByteCount, isCut: isCut, database)
            }
        }
        if row.integer(10) == 1 { try addMessages(database) }
    }

    /// Adds the contents of messages that are not part of a body, separated by a byte that no
    /// filter can contain.
    private mutating func addMessages(_ database: SQLiteConnection) throws(StoreError) {
        var text: [UInt8] = []
        var isWhole = true
        try StoredMessages.forEachBytes(of: id, database) { kind, bytes in
            guard !kind.isData || SearchText.isText(bytes.span) else {
                isWhole = false
                return true
            }
            guard text.count + bytes.count < SearchSchema.messagesByteCountMax else {
                isWhole = false
                return false
            }
            text += bytes
            text.append(0)
            return true
        }
        if !isWhole { isBodyMissing = true }
        if !text.isEmpty { bodies.append((.messages, text)) }
    }

    /// If a head has neither of these, ASCII in its body is UTF-8 without parts.
    private static let typed = [ByteSearch("charset"), ByteSearch("boundary")]
    /// Bodies of messages whose heads lack this field are not encoded.
    private static let coding = ByteSearch("content-encoding")

    private static func contentType(_ side: SearchSchema.Side, _ head: [UInt8]) -> String? {
        var heads = StoredHeads()
        if side == .request {
            heads.requestBytes = head
            return heads.requestHead?.fields.value(.contentType)
        }
        heads.responseBytes = head
        return heads.responseHead?.fields.value(.contentType)
    }

    /// Adds a body that has to be assembled or decoded.
    private mutating func add(
        _ side: SearchSchema.Side, _ keptByteCount: Int64, isCut: Bool, _ database: SQLiteConnection
    ) throws(StoreError) {
        guard keptByteCount <= SearchSchema.bodyByteCountMax else {
            isBodyMissing = true
            return
        }
        let limits = DecodingLimits(decodedByteCountMax: SearchSchema.bodyByteCountMax)
        let decoded = try StoredBody.text(
            of: id, side == .request ? .request : .response, isCut: isCut, database, limits: limits)
        guard let decoded else { return }
        if case .overLimit? = decoded.failure {
            isBodyMissing = true
        } else {
            addText(side, decoded.bytes)
        }
    }

    private mutating func addText(_ side: SearchSchema.Side, _ bytes: [UInt8]) {
        if SearchText.isText(bytes.span) {
            bodies.append((side, bytes))
        } else {
            isBodyMissing = true
        }
    }

    var pieces: [(key: Int64, side: Int, range: Range<Int>)] {
        let stride = SearchSchema.pieceByteCount - (SearchText.needleByteCountMax - 1)
        return bodies.indices.flatMap { index in
            let (side, bytes) = bodies[index]
            let starts = Swift.stride(from: 0, to: max(1, bytes.count), by: stride)
            return starts.enumerated().map { position, start in
                (
                    SearchSchema.PieceKey.key(exchange: id, side: side, position: position), index,
                    start..<min(bytes.count, start + SearchSchema.pieceByteCount)
                )
            }
        }
    }

    /// The URL as filters see it; if a part is missing, the remaining parts.
    private static let urlExpression = """
        coalesce(\(FilterTextColumn.url.sqlExpression), \
        ifnull(exchange.path, '') || '?' || ifnull(exchange.query, ''))
        """
}
