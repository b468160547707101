/// Encodes bytes as text for the search index, so that a trigram of the index is exactly three
/// bytes, with ASCII letters in any case: the same comparison as in `ByteSearch`.
///
/// Each byte becomes one character: ASCII bytes themselves, others U+0080…U+00FF, so that bytes
/// that are not UTF-8 cannot be misread. NUL would end the text for SQLite; no filter can contain
/// one.
enum SearchText {
    /// The maximum number of trigrams in a query, which limits the bytes it examines. Each lookup
    /// costs, and after fourteen matching trigrams further ones add little.
    static let trigramCountMax = 14
    /// How many bytes of a needle the index is queried for.
    static let needleByteCountMax = trigramCountMax + 2
    /// Shorter needles have no trigram.
    static let needleByteCountMin = 3

    /// Appends bytes in the encoding of the index, as UTF-8.
    static func append(_ octets: Span<UInt8>, to text: inout [UInt8]) {
        for index in octets.indices {
            let octet = octets[index]
            switch octet {
            case 0x41...0x5A: text.append(octet | 0x20)
            case 0x01...0x7F: text.append(octet)
            case 0x00: text += [0xC4, 0x80]
            default: text += [0xC0 | octet >> 6, 0x80 | octet & 0x3F]
            }
        }
    }

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

    /// Whether bytes look like text: few control characters.
    static func isText(_ octets: Span<UInt8>) -> Bool {
        var controlCount = 0
        for index in octets.indices {
            switch octets[index] {
            case 0x09, 0x0A, 0x0C, 0x0D, 0x1B, 0x20...0xFF: continue
            default: controlCount += 1
            }
        }
        return controlCount <= octets.count / 64
    }
}
