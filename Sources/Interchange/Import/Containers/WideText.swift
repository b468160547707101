/// Makes UTF-8 of a text that may be UTF-16: by its byte order mark, or by the zero byte beside the
/// bracket with which a text without a mark starts.
struct WideText {
    private enum Width {
        /// The bytes until there are enough to tell.
        case unknown([UInt8])
        case narrow
        /// The bytes of a character that has not ended.
        case wide(isBigEndian: Bool, held: [UInt8])
    }

    private static let markByteCount = 3

    private var width = Width.unknown([])

    /// Takes more bytes, and returns the text that they complete.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        switch width {
        case .narrow: return bytes
        case .unknown(let begun):
            let all = begun + bytes
            guard all.count >= WideText.markByteCount else {
                width = .unknown(all)
                return []
            }
            return begin(all)
        case .wide(let isBigEndian, let held):
            return decode(held + bytes, isBigEndian: isBigEndian)
        }
    }

    /// Returns what is left at the end; half a character is left out.
    mutating func finish() -> [UInt8] {
        guard case .unknown(let begun) = width else { return [] }
        return begin(begun)
    }

    private mutating func begin(_ bytes: [UInt8]) -> [UInt8] {
        width = .narrow
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) {
            return decode(Array(bytes.dropFirst(2)), isBigEndian: false)
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            return decode(Array(bytes.dropFirst(2)), isBigEndian: true)
        }
        let brackets = Array("{[".utf8)
        if bytes.count >= 2, bytes[1] == 0, brackets.contains(bytes[0]) {
            return decode(bytes, isBigEndian: false)
        }
        if bytes.count >= 2, bytes[0] == 0, brackets.contains(bytes[1]) {
            return decode(bytes, isBigEndian: true)
        }
        return bytes
    }

    private mutating func decode(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        // The first half of a pair waits for the second.
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        width = .wide(isBigEndian: isBigEndian, held: Array(bytes.dropFirst(units.count * 2)))
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
