/// A string of a JSON text: validated, but not decoded yet.
package struct JSONStringToken {
    /// The bytes between the quotation marks: valid UTF-8 with well-formed escapes.
    let range: Range<Int>
    let hasEscapes: Bool

    /// Creates a token from the bytes between the quotation marks.
    package init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }

    /// The string's decoded text.
    package func text(in bytes: Span<UInt8>) -> String {
        let raw = bytes.extracting(range)
        guard hasEscapes else {
            return raw.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        return String(decoding: unescaped(in: bytes), as: UTF8.self)
    }

    /// The string's UTF-8, unescaped.
    package func unescaped(in bytes: Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        let raw = bytes.extracting(range)
        var index = 0
        while index < raw.count {
            guard raw[index] == 0x5C, index &+ 1 < raw.count else {
                decoded.append(raw[index])
                index &+= 1
                continue
            }
            let letter = raw[index &+ 1]
            index &+= 2
            switch letter {
            case 0x62: decoded.append(0x08)
            case 0x66: decoded.append(0x0C)
            case 0x6E: decoded.append(0x0A)
            case 0x72: decoded.append(0x0D)
            case 0x74: decoded.append(0x09)
            case 0x75: decoded.append(contentsOf: character(raw, &index).utf8)
            default: decoded.append(letter)
            }
        }
        return decoded
    }

    /// The character of the `\u` whose digits start at `index`; a surrogate pair is combined.
    private func character(_ raw: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        let first = hexUnit(raw, at: index)
        index &+= 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        let isPair =
            first < 0xDC00 && index &+ 5 < raw.count && raw[index] == 0x5C
            && raw[index &+ 1] == 0x75
        let second = isPair ? hexUnit(raw, at: index &+ 2) : 0
        guard (0xDC00...0xDFFF).contains(second) else { return "\u{FFFD}" }
        index &+= 6
        let value = 0x1_0000 &+ (first &- 0xD800) << 10 &+ (second &- 0xDC00)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private func hexUnit(_ raw: Span<UInt8>, at index: Int) -> UInt32 {
        var unit: UInt32 = 0
        for offset in index..<min(index &+ 4, raw.count) {
            unit = unit << 4 | UInt32(Byte.hexValue(raw[offset]) ?? 0)
        }
        return unit
    }
}
