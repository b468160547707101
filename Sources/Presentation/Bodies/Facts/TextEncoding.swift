internal import ProxydContentCoding
internal import ProxydParameterCoding

/// The charset of a text and the size of its code units.
package struct TextEncoding: Sendable, Hashable {
    let charset: Charset
    /// The size of a code unit in bytes: 2 in UTF-16, 4 in UTF-32.
    let unitByteCount: Int
    let isBigEndian: Bool
    /// The size of the byte order mark before the text, in bytes.
    let markByteCount: Int

    /// Determines the encoding of a body: a byte order mark takes precedence over the declared
    /// charset. Without either it is UTF-8, or Windows-1252 if the start is not valid UTF-8.
    package init(_ facts: BodyFacts) {
        if let (charset, markByteCount) = TextEncoding.byteOrderMark(facts.beginning) {
            self.init(charset, markByteCount: markByteCount)
            return
        }
        if let label = facts.mediaType?.charset, let charset = Charset(label: label) {
            self.init(charset, markByteCount: 0)
            return
        }
        let beginning = facts.beginning
        let text = Charset.utf8.decode(beginning.span, isTruncated: true)
        self.init(text?.isLossy == false ? .utf8 : .windows1252, markByteCount: 0)
    }

    private init(_ charset: Charset, markByteCount: Int) {
        self.charset = charset
        self.markByteCount = markByteCount
        switch charset {
        case .utf16LittleEndian: (unitByteCount, isBigEndian) = (2, false)
        case .utf16BigEndian: (unitByteCount, isBigEndian) = (2, true)
        case .legacy("utf-32"), .legacy("utf-32le"): (unitByteCount, isBigEndian) = (4, false)
        case .legacy("utf-32be"): (unitByteCount, isBigEndian) = (4, true)
        default: (unitByteCount, isBigEndian) = (1, false)
        }
    }

    /// The charset of a byte order mark at the start, and the size of the mark in bytes.
    static func byteOrderMark(_ bytes: [UInt8]) -> (Charset, Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    /// Whether every byte below 0x80 is its ASCII character, so that syntax can be found byte by
    /// byte.
    var isASCIICompatible: Bool { unitByteCount == 1 }

    /// Decodes bytes, or returns nil for UTF-8, for which `StyledText` shows invalid bytes one by
    /// one.
    func text(_ bytes: ArraySlice<UInt8>) -> String? {
        if charset == .utf8 { return nil }
        let owned = Array(bytes)
        return charset.decode(owned.span, isTruncated: true)?.text
    }

    /// The usual spelling of the charset's name.
    var name: String {
        switch charset {
        case .utf8: "utf-8"
        case .utf16LittleEndian: "utf-16le"
        case .utf16BigEndian: "utf-16be"
        case .windows1252: "windows-1252"
        case .legacy(let name): name
        }
    }
}

extension StyledText {
    /// Appends bytes decoded from a charset.
    mutating func append(
        _ bytes: ArraySlice<UInt8>, _ style: Style = .plain, _ encoding: TextEncoding
    ) {
        if let text = encoding.text(bytes) {
            appendTabbed(text, style)
        } else {
            appendTabbed(bytes, style)
        }
    }
}
