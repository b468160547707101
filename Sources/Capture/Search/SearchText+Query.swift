internal import ProxydStoreCoding

extension SearchText {
    /// The maximum number of trigrams in a query, which limits the bytes it examines. Each lookup
    /// costs, and after fourteen matching trigrams further ones add little.
    static let trigramCountMax = 14
    /// How many bytes of a needle the index is queried for.
    static let needleByteCountMax = trigramCountMax + 2

    /// The query for texts that may contain a needle, or nil if it is too short.
    static func query(for needle: [UInt8]) -> String? {
        guard needle.count >= needleByteCountMin else { return nil }
        let head = Array(needle.prefix(needleByteCountMax))
        let trigrams = Set(
            (0...(head.count - 3)).map { start in
                var text: [UInt8] = []
                append(head.span.extracting(start..<(start + 3)), to: &text)
                return String(decoding: text, as: UTF8.self)
            })
        return trigrams.sorted().map(quoted).joined(separator: " AND ")
    }

    private static func quoted(_ trigram: String) -> String {
        "\"" + trigram.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
    }
}
