/// How octets become the text of the search index, so that a trigram of the index is exactly
/// three octets, ASCII letters in any case: what `ByteSearch` compares.
///
/// Each octet is one character: itself in ASCII, U+0080…U+00FF above, so that no octets (which
/// may be no UTF-8) can be misread. NUL would end the text for SQLite; no filter can hold one.
enum SearchText {
    /// Trigrams that a query asks for at most, and so the octets it looks at: three trigrams a
    /// lookup each add little where fourteen agree.
    static let trigramCountMax = 14
    /// The octets of a needle that the index is asked about.
    static let needleByteCountMax = trigramCountMax + 2
    /// Shorter needles have no trigram.
    static let needleByteCountMin = 3

    /// Appends octets as the index wants them, in UTF-8.
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

    /// The query for texts that may contain a needle; nil for one too short.
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

    /// Whether octets look like text: few control characters.
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
