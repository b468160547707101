/// A position in the bytes of a text, with the means to advance.
struct TOMLCursor: Sendable {
    private let bytes: [UInt8]
    private var offset = 0
    private(set) var line = 1
    private var column = 1

    /// Creates a cursor at the start of a text.
    init(_ text: String) {
        bytes = Array(text.utf8)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: mark) { offset = mark.count }
    }

    var position: TextPosition { TextPosition(line: line, column: column) }
    var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte, or one further on; nil after the end.
    func peek(_ distance: Int = 0) -> UInt8? {
        let index = offset + distance
        return index < bytes.count ? bytes[index] : nil
    }

    /// Whether a line ends here, with LF or CR LF.
    var isAtLineEnd: Bool { peek() == .lineFeed || (peek() == .cr && peek(1) == .lineFeed) }

    /// Consumes the next byte.
    mutating func take() -> UInt8? {
        guard let byte = peek() else { return nil }
        offset += 1
        if byte == .lineFeed {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
        return byte
    }

    /// Consumes the next byte if it is this one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        _ = take()
        return true
    }

    /// Consumes the next Unicode scalar.
    mutating func takeScalar() -> Unicode.Scalar? {
        guard let first = take() else { return nil }
        var value = UInt32(first)
        switch first {
        case 0xF0...: value &= 0x07
        case 0xE0...: value &= 0x0F
        case 0xC0...: value &= 0x1F
        default: break
        }
        while let byte = peek(), byte & 0xC0 == 0x80 {
            value = value << 6 | UInt32(byte & 0x3F)
            _ = take()
        }
        return Unicode.Scalar(value)
    }

    /// Consumes bytes while the condition is true.
    mutating func takeAll(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = offset
        while let byte = peek(), isWanted(byte) { _ = take() }
        return bytes[start..<offset]
    }

    /// Skips spaces and tabs.
    mutating func skipSpaces() { _ = takeAll { $0 == .space || $0 == .tab } }

    /// Skips a line ending if there is one here.
    mutating func skipLineEnd() -> Bool {
        guard isAtLineEnd else { return false }
        _ = take(.cr)
        return take(.lineFeed)
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let cr = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let backslash = UInt8(ascii: "\\")

    /// Whether the byte is a control character; of these, TOML allows only tabs and line endings.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
