/// Converts pieces to text, wherever they are split. The charset is that of the byte order mark
/// (WHATWG Encoding §6), which is not part of the text, or UTF-8.
struct TextPieces: Sendable {
    private enum Charset {
        case unknown, utf8, utf16LittleEndian, utf16BigEndian
    }

    private var charset = Charset.unknown
    /// The start of a byte order mark or character that the next piece completes.
    private var rest: [UInt8] = []

    private static let marks: [(octets: [UInt8], charset: Charset)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]

    /// The text of the next piece, together with the rest of the one before.
    mutating func text(of piece: [UInt8]) -> String {
        var octets = (rest + piece)[...]
        rest = []
        if charset == .unknown {
            if let mark = Self.marks.first(where: { octets.starts(with: $0.octets) }) {
                charset = mark.charset
                octets = octets.dropFirst(mark.octets.count)
            } else if Self.marks.contains(where: { $0.octets.starts(with: octets) }) {
                rest = Array(octets)
                return ""
            } else {
                charset = .utf8
            }
        }
        let whole = octets.dropLast(cutByteCount(at: octets))
        rest = Array(octets[whole.endIndex...])
        return decoded(whole)
    }

    private func decoded(_ octets: ArraySlice<UInt8>) -> String {
        guard charset != .utf8 else { return String(decoding: octets, as: UTF8.self) }
        return String(decoding: units(octets), as: UTF16.self)
    }

    private func units(_ octets: ArraySlice<UInt8>) -> [UInt16] {
        stride(from: octets.startIndex, to: octets.endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(octets[index]), UInt16(octets[index + 1]))
            return charset == .utf16BigEndian ? first << 8 | second : second << 8 | first
        }
    }

    /// The number of bytes at the end that start a character but do not complete it.
    private func cutByteCount(at octets: ArraySlice<UInt8>) -> Int {
        guard charset == .utf8 else {
            let odd = octets.count % 2
            let isHalf = units(octets.dropLast(odd).suffix(2)).first.map(UTF16.isLeadSurrogate)
            return isHalf == true ? odd + 2 : odd
        }
        for (index, octet) in octets.suffix(3).reversed().enumerated() {
            if octet & 0xC0 == 0x80 { continue }
            let needed = octet >= 0xF0 ? 4 : octet >= 0xE0 ? 3 : octet >= 0xC0 ? 2 : 1
            return needed > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
