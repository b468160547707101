internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel

/// Makes the bodies of a day searchable: writes their decoded texts into `body_text`, which has an
/// index of trigrams, and notes in `body_index` which exchanges that covers. Whoever runs it needs
/// the rights of the team's owner.
package struct BodyIndexer {
    /// Longer bodies, as stored or as decoded, are not indexed: every search looks at them.
    static let bodyByteCountMax = 1 << 20
    private static let pageCount = 32

    package struct Outcome {
        package var exchangeCount: Int64 = 0
        package var textCount: Int64 = 0
        /// How many bodies are binary or too long to be indexed.
        package var leftOutCount: Int64 = 0
    }

    private let connection: any CentralConnection
    private let day: String

    /// Creates an indexer for a UTC day, written as `2026-11-26`.
    package init(_ connection: any CentralConnection, day: String) {
        self.connection = connection
        self.day = day
    }

    /// Indexes what was delivered for the day and is not indexed yet, in one transaction.
    package func index() throws(CentralError) -> Outcome {
        try requireDay()
        return try connection.transaction { () throws(CentralError) in
            try lock()
            let cursors = try cursors()
            try discardUncovered()
            let outcome = try copyTexts()
            // What was removed meanwhile must not stay. Shippers wait here, for a moment.
            try connection.run("SELECT no FROM shipper ORDER BY no FOR UPDATE")
            try connection.run(
                """
                DELETE FROM body_text WHERE \(BodyIndexer.ofDay("started_at")) AND NOT EXISTS (
                  SELECT 1 FROM exchange WHERE exchange.started_at = body_text.started_at
                    AND exchange.id = body_text.exchange_id)
                """, [.text(day)])
            try note(cursors)
            try connection.run("SELECT make_body_key($1::text::date)", [.text(day)])
            return outcome
        }
    }

    /// Removes the texts of the day and their index.
    package func drop() throws(CentralError) {
        try requireDay()
        try connection.transaction { () throws(CentralError) in
            try lock()
            try connection.run("DELETE FROM body_index WHERE day = $1::text::date", [.text(day)])
            try connection.run("SELECT drop_body_key($1::text::date)", [.text(day)])
        }
    }

    private func requireDay() throws(CentralError) {
        let isThere = try connection.first(
            """
            SELECT to_regclass('body_text_' || to_char($1::text::date, 'YYYYMMDD')) IS NOT NULL
            """, [.text(day)]
        ) { $0.integer(0) }
        guard isThere == 1 else { throw .location("nothing was delivered for \(day)") }
    }

    /// Two indexers of a day take turns.
    private func lock() throws(CentralError) {
        try connection.run(
            "SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.bodies.' || $1::text))",
            [.text(day)])
    }

    private static func ofDay(_ column: String) -> String {
        """
        \(column) >= $1::text::date::timestamp AT TIME ZONE 'UTC' \
        AND \(column) < ($1::text::date + 1)::timestamp AT TIME ZONE 'UTC'
        """
    }

    // MARK: What is covered

    private struct Cursor {
        var shipper: Int64
        var throughID: Int64
        var openIDs: [Int64]
    }

    /// How far each shipper has got. Read first, so that everything up to there is seen later.
    private func cursors() throws(CentralError) -> [Cursor] {
        try connection.rows("SELECT no, through_id, open_ids FROM shipper") { row in
            row.integer(0).map { number in
                Cursor(
                    shipper: number,
                    throughID: CentralID.id(shipper: number, number: row.integer(1) ?? 0),
                    openIDs: row.integers(2).map { CentralID.id(shipper: number, number: $0) })
            }
        }
    }

    private func note(_ cursors: [Cursor]) throws(CentralError) {
        for cursor in cursors {
            try connection.run(
                """
                INSERT INTO body_index (day, shipper_no, through_id, open_ids)
                VALUES ($1::text::date, $2::bigint, $3, $4) ON CONFLICT (day, shipper_no)
                DO UPDATE SET through_id = excluded.through_id, open_ids = excluded.open_ids
                """,
                [
                    .text(day), .integer(cursor.shipper), .integer(cursor.throughID),
                    .integers(cursor.openIDs),
                ])
        }
    }

    private func discardUncovered() throws(CentralError) {
        try connection.run(
            """
            DELETE FROM body_text USING exchange WHERE \(BodyIndexer.ofDay("exchange.started_at"))
              AND body_text.started_at = exchange.started_at
              AND body_text.exchange_id = exchange.id AND NOT \(BodyTextSQL.isCovered)
            """, [.text(day)])
    }

    // MARK: Texts

    private struct Body {
        var side: StoredMessage
        /// Nil if it is left out.
        var text: [UInt8]?
    }

    private struct Bodies {
        var id: Int64
        /// In microseconds since 2000.
        var startedAt: Int64
        var bodies: [Body] = []
    }

    private func copyTexts() throws(CentralError) -> Outcome {
        var outcome = Outcome()
        try openCursor()
        while true {
            let rows = try connection.rows("FETCH \(BodyIndexer.pageCount) FROM uncovered") { $0 }
            guard !rows.isEmpty else { return outcome }
            var page: [Bodies] = []
            for row in rows { page.append(try bodies(of: row)) }
            let bodies = page.flatMap(\.bodies)
            outcome.exchangeCount += Int64(page.count)
            outcome.textCount += Int64(bodies.count { $0.text != nil })
            outcome.leftOutCount += Int64(bodies.count { $0.text == nil })
            try copy(page)
        }
    }

    /// The exchanges of the day with bodies that are not covered.
    private func openCursor() throws(CentralError) {
        let heads = StoredHeads.columns.map { "content.\($0)" }
        try connection.run(
            """
            DECLARE uncovered NO SCROLL CURSOR FOR
            SELECT exchange.id, exchange.started_at, exchange.request_kept_bytes,
              exchange.response_kept_bytes, exchange.request_body_bytes,
              exchange.response_body_bytes, content.request_body, content.response_body,
              \(heads.joined(separator: ", "))
            FROM exchange JOIN content ON content.started_at = exchange.started_at
              AND content.exchange_id = exchange.id
            WHERE \(BodyIndexer.ofDay("exchange.started_at"))
              AND \(BodyIndexer.ofDay("content.started_at"))
              AND (exchange.request_kept_bytes > 0 OR exchange.response_kept_bytes > 0)
              AND NOT \(BodyTextSQL.isCovered)
            """, [.text(day)])
    }

    private func bodies(of row: CentralRow) throws(CentralError) -> Bodies {
        var found = Bodies(id: row.integer(0) ?? 0, startedAt: row.integer(1) ?? 0)
        let heads = StoredHeads(row.dropping(8))
        for (side, place) in [(StoredMessage.request, 0), (.response, 1)] {
            let keptByteCount = row.integer(2 + place) ?? 0
            guard keptByteCount > 0 else { continue }
            var text: [UInt8]?
            if keptByteCount <= Int64(BodyIndexer.bodyByteCountMax) {
                var bytes = row.bytes(6 + place)
                if bytes == nil { bytes = try pieces(of: found, side) }
                let fields =
                    side == .request ? heads.requestHead?.fields : heads.responseHead?.fields
                let isCut = keptByteCount < row.integer(4 + place) ?? 0
                text = BodyIndexer.text(bytes ?? [], fields, isCut: isCut)
            }
            found.bodies.append(Body(side: side, text: text))
        }
        return found
    }

    private func pieces(
        of exchange: Bodies, _ side: StoredMessage
    ) throws(CentralError) -> [UInt8] {
        try connection.rows(
            """
            SELECT octets FROM body_piece
            WHERE started_at = $1 AND exchange_id = $2 AND part = $3 ORDER BY position
            """,
            [
                .timestamp(exchange.startedAt), .integer(exchange.id),
                .integer(side == .request ? 0 : 1),
            ]
        ) { $0.bytes(0) }.flatMap { $0 }
    }

    /// The text to index, or nil if the body is left out.
    private static func text(_ bytes: [UInt8], _ fields: HeaderFields?, isCut: Bool) -> [UInt8]? {
        let limits = DecodingLimits(decodedByteCountMax: bodyByteCountMax)
        let decoded = BodyDecoding.text(bytes, fields, isCut: isCut, limits: limits)
        if case .overLimit? = decoded.failure { return nil }
        guard SearchText.isText(decoded.bytes.span) else { return nil }
        var text: [UInt8] = []
        SearchText.append(decoded.bytes.span, to: &text)
        return text
    }

    private func copy(_ page: [Bodies]) throws(CentralError) {
        try connection.copy(
            "COPY body_text (exchange_id, started_at, side, text) FROM STDIN (FORMAT binary)"
        ) { buffer throws(CentralError) in
            for exchange in page {
                for body in exchange.bodies {
                    try buffer.startRow(4)
                    buffer.bigint(exchange.id)
                    buffer.bigint(exchange.startedAt)
                    buffer.smallint(body.side == .request ? 0 : 1)
                    // A text is sent as its bytes.
                    buffer.bytea(body.text)
                }
            }
        }
    }
}

/// Conditions on a row of `exchange` that the texts of bodies decide, on days that are indexed.
enum BodyTextSQL {
    /// Whether the texts of the exchange's bodies are in `body_text`. An exchange that was
    /// delivered, or had not ended, when its day was indexed is not covered.
    static let isCovered = """
        EXISTS (SELECT 1 FROM body_index WHERE body_index.shipper_no = exchange.shipper_no \
        AND body_index.day = (exchange.started_at AT TIME ZONE 'UTC')::date \
        AND exchange.id <= body_index.through_id AND exchange.id <> ALL (body_index.open_ids))
        """

    /// Lets through what a search in bodies may find: exchanges with the text, those with bodies
    /// that are not indexed, and those that are not covered.
    static func prefilter(_ sides: [FilterSide], _ match: FilterTextMatch) -> PostgresFragment {
        guard let needle = SearchText.needle(of: match) else { return .undecided }
        let numbers = sides.map { $0 == .request ? "0" : "1" }.joined(separator: ", ")
        let argument = PostgresFragment.argument
        return PostgresFragment(
            """
            (\(exists("side IN (\(numbers)) AND text LIKE \(argument)")) \
            OR \(exists("side IN (\(numbers)) AND text IS NULL")) OR NOT \(isCovered))
            """,
            [.text("%" + pattern(needle) + "%")], isExact: false)
    }

    private static func exists(_ condition: String) -> String {
        """
        EXISTS (SELECT 1 FROM body_text WHERE body_text.started_at = exchange.started_at \
        AND body_text.exchange_id = exchange.id AND \(condition))
        """
    }

    /// The needle in the encoding of `body_text`, without wildcards of LIKE.
    private static func pattern(_ needle: [UInt8]) -> String {
        var escaped: [UInt8] = []
        for byte in needle {
            if "\\%_".utf8.contains(byte) { escaped.append(0x5C) }
            escaped.append(byte)
        }
        var text: [UInt8] = []
        SearchText.append(escaped.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
