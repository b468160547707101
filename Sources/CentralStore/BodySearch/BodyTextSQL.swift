internal import ProxydFilter
internal import ProxydStoreCoding

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
