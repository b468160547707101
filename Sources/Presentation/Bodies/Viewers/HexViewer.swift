internal import ProxydParameterCoding

/// Shows any bytes as lines of sixteen.
struct HexViewer: BodyViewer {
    static let name = "hex"

    private let source: any BodySource

    /// Bytes of an unknown format are shown as they are before any guess.
    static func fitness(for facts: BodyFacts) -> Int { facts.kind == .binary ? 20 : 10 }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.source = source }

    var lineCount: Int {
        let count = source.extent.byteCount
        return count / HexLines.rowByteCount + (count % HexLines.rowByteCount == 0 ? 0 : 1)
    }

    var isComplete: Bool { true }
    var indexedByteCount: Int { source.extent.byteCount }
    mutating func advance(byteBudget: Int) {}

    func lines(_ range: Range<Int>) -> [StyledText] {
        let rows = range.clamped(to: 0..<lineCount)
        let bytes = source.read(
            from: rows.lowerBound * HexLines.rowByteCount,
            byteCount: rows.count * HexLines.rowByteCount)
        // A file that has been truncated in the meantime returns fewer bytes than it had.
        return stride(from: 0, to: bytes.count, by: HexLines.rowByteCount).map { start in
            let row = bytes[start..<min(start + HexLines.rowByteCount, bytes.count)]
            return HexLines.line(row, at: rows.lowerBound * HexLines.rowByteCount + start)
        }
    }

    func offset(ofLine line: Int) -> Int? { line * HexLines.rowByteCount }
    func line(atOffset offset: Int) -> Int? {
        offset < source.extent.byteCount ? offset / HexLines.rowByteCount : nil
    }
}

/// Formats bytes as lines of sixteen: offset, hexadecimal, ASCII.
package enum HexLines {
    static let rowByteCount = 16

    /// Formats bytes as lines; offsets count from the first byte.
    package static func lines(_ bytes: ArraySlice<UInt8>) -> [StyledText] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: rowByteCount).map { start in
            let row = bytes[start..<min(start + rowByteCount, bytes.endIndex)]
            return line(row, at: start - bytes.startIndex)
        }
    }

    static func line(_ row: ArraySlice<UInt8>, at offset: Int) -> StyledText {
        var line = StyledText(digits(offset, 8) + "  ", .dim)
        var hexadecimal = ""
        for (index, byte) in row.enumerated() {
            hexadecimal += digits(Int(byte), 2) + (index == 7 ? "  " : " ")
        }
        let width = rowByteCount * 3 + 2
        hexadecimal += String(repeating: " ", count: max(0, width - hexadecimal.utf8.count))
        line.append(hexadecimal)
        let text = row.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "." }
        line.append(text.joined(), .string)
        return line
    }

    /// Formats bytes as hexadecimal digits without separators.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { digits(Int($0), 2) }.joined(separator: " ")
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension StyledText {
    /// Appends bytes of a value: as text, or in hexadecimal.
    mutating func appendBytes(_ bytes: ArraySlice<UInt8>, isText: Bool) {
        if isText { append(bytes, .string) } else { append(HexLines.text(bytes), .string) }
    }
}
