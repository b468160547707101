internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// A text that every matching exchange has in its URL or its bodies, as a query to the search
/// files.
struct SearchProbe: Sendable {
    /// A `SELECT` of exchange numbers in one file; it may return too many, but never too few.
    let sql: String
    let query: String

    /// The probes for tests that every matching exchange must pass.
    static func probes(for tests: [FilterTest]) -> [SearchProbe] {
        tests.compactMap { test in
            guard case .text(let target, let match) = test else { return nil }
            return probe(for: target, match)
        }
    }

    private static func probe(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> SearchProbe? {
        guard let needle = SearchText.needle(of: match),
            let query = SearchText.query(for: needle)
        else { return nil }
        if case .messages(let messages, let column) = target {
            guard isWritten(needle, column) else { return nil }
            let isOutsideBodies =
                messages.kinds.map { !$0.contains(where: \.isPartOfBody) } ?? false
            return SearchProbe(sql: isOutsideBodies ? messagesSQL : anySQL, query: query)
        }
        switch target {
        // All these are parts of the URL.
        case .columns([.url]), .columns([.path]), .columns([.query]):
            return SearchProbe(sql: urlSQL, query: query)
        case .body(let sides):
            return SearchProbe(sql: sides.count == 1 ? sideSQL(sides[0]) : bodySQL, query: query)
        default: return nil
        }
    }

    private static let urlSQL = """
        SELECT rowid FROM url WHERE url MATCH ?
        UNION SELECT exchange_id FROM rest WHERE is_url_missing
        """

    /// Whether a matching message contains the bytes literally, and does not match because of how a
    /// missing field or a field with several lines is interpreted.
    private static func isWritten(_ needle: [UInt8], _ column: MessageTextColumn) -> Bool {
        switch column {
        case .text, .id: true
        case .data: !needle.contains(0x0A)
        case .event: !"message".contains(String(decoding: needle, as: UTF8.self))
        case .kind, .direction, .problem: false
        }
    }

    private static let bodySQL = sql("!= \(SearchSchema.Side.messages.rawValue)")
    private static let messagesSQL = sql("= \(SearchSchema.Side.messages.rawValue)")
    private static let anySQL = sql(">= 0")

    private static func sideSQL(_ side: FilterSide) -> String {
        let wanted: SearchSchema.Side = side == .request ? .request : .response
        return sql("= \(wanted.rawValue)")
    }

    /// Exchanges that have a matching piece on one of the sides.
    private static func sql(_ side: String) -> String {
        typealias Key = SearchSchema.PieceKey
        return """
            SELECT rowid >> \(Key.exchangeShift) FROM body WHERE body MATCH ?
              AND (rowid >> \(Key.positionBits)) & \(Key.sideMask) \(side)
            UNION SELECT exchange_id FROM rest
            """
    }
}

extension MessageRecord.Kind {
    /// Whether messages of the kind can be part of a body.
    fileprivate var isPartOfBody: Bool {
        switch self {
        case .text, .binary, .close, .ping, .pong: false
        case .grpc, .trailers, .event, .comment, .invalid: true
        }
    }
}
