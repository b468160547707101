/// Converts pieces to text, wherever they are split. The charset is that of the byte order mark
/// (WHATWG Encoding §6), which is not part of the text, or UTF-8.
struct TextPieces: Sendable {
    private enum Charset {
        case unknown, utf8, utf16LittleEndian, utf16BigEndian
    }

    private var charset = Charset.unknown
    /// The start of a byte order mark or character that the next piece completes.
    private var rest: [UInt8] = []

    private static let marks: [(bytes: [UInt8], charset: Charset)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]

    /// The text of the next piece, together with the rest of the one before.
    mutating func text(of piece: [UInt8]) -> String {
        var bytes = (rest + piece)[...]
        rest = []
        if charset == .unknown {
            if let mark = Self.marks.first(where: { bytes.starts(with: $0.bytes) }) {
                charset = mark.charset
                bytes = bytes.dropFirst(mark.bytes.count)
            } else if Self.marks.contains(where: { $0.bytes.starts(with: bytes) }) {
                rest = Array(bytes)
                return ""
            } else {
                charset = .utf8
            }
        }
        let whole = bytes.dropLast(cutByteCount(at: bytes))
        rest = Array(bytes[whole.endIndex...])
        return decoded(whole)
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard charset != .utf8 else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: units(bytes), as: UTF16.self)
    }

    private func units(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return charset == .utf16BigEndian ? first << 8 | second : second << 8 | first
        }
    }

    /// The number of bytes at the end that start a character but do not complete it.
    private func cutByteCount(at bytes: ArraySlice<UInt8>) -> Int {
        guard charset == .utf8 else {
            let odd = bytes.count % 2
            let isHalf = units(bytes.dropLast(odd).suffix(2)).first.map(UTF16.isLeadSurrogate)
            return isHalf == true ? odd + 2 : odd
        }
        for (index, byte) in bytes.suffix(3).reversed().enumerated() {
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return needed > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
