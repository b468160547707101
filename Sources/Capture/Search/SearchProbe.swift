internal import ProxydFilter

/// A text that every passing exchange has in its URL or its bodies, as a question to the search
/// files.
struct SearchProbe: Sendable {
    /// A `SELECT` of exchange numbers over one file; may give too many, never too few.
    let sql: String
    let query: String

    /// The probes for tests that every passing exchange passes.
    static func probes(for tests: [FilterTest]) -> [SearchProbe] {
        tests.compactMap { test in
            guard case .text(let target, let match) = test else { return nil }
            return probe(for: target, match)
        }
    }

    private static func probe(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> SearchProbe? {
        guard let needle = needle(of: match), !needle.containsReplacement,
            let query = SearchText.query(for: needle)
        else { return nil }
        switch target {
        // All these are parts of the URL.
        case .columns([.url]), .columns([.path]), .columns([.query]):
            return SearchProbe(sql: urlSQL, query: query)
        case .body(let sides):
            return SearchProbe(sql: sides.count == 1 ? sideSQL(sides[0]) : bodySQL, query: query)
        default: return nil
        }
    }

    /// Octets that each passing text contains, ASCII letters in lower case.
    private static func needle(of match: FilterTextMatch) -> [UInt8]? {
        switch match {
        case .contains(let search): search.needle
        case .equals(let text): ByteSearch(text).needle
        case .regex(let regex): regex.literalPrefix.map { ByteSearch($0).needle }
        }
    }

    private static let urlSQL = """
        SELECT rowid FROM url WHERE url MATCH ?
        UNION SELECT exchange_id FROM rest WHERE is_url_missing
        """

    private static let bodySQL = """
        SELECT rowid >> \(SearchSchema.PieceKey.exchangeShift) FROM body WHERE body MATCH ?
        UNION SELECT exchange_id FROM rest
        """

    private static func sideSQL(_ side: FilterSide) -> String {
        let bits = SearchSchema.PieceKey.positionBits
        return """
            SELECT rowid >> \(SearchSchema.PieceKey.exchangeShift) FROM body WHERE body MATCH ?
              AND (rowid >> \(bits)) & 1 = \(SearchSchema.PieceKey.number(of: side))
            UNION SELECT exchange_id FROM rest
            """
    }
}

extension [UInt8] {
    /// Whether U+FFFD is among them, which a predicate sees in place of octets that are no UTF-8.
    fileprivate var containsReplacement: Bool {
        indices.dropLast(2).contains { self[$0...].starts(with: [0xEF, 0xBF, 0xBD]) }
    }
}
