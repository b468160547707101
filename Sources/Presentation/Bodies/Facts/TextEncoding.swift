internal import ProxydContentCoding
internal import ProxydParameterCoding

/// How the octets of a text are read: the charset, and how its line ends look.
package struct TextEncoding: Sendable, Hashable {
    let charset: Charset
    /// Octets of one code unit: 2 in UTF-16, 4 in UTF-32.
    let unitByteCount: Int
    let isBigEndian: Bool
    /// Octets of the byte order mark in front of the text.
    let markByteCount: Int

    /// The encoding of a body: a byte order mark goes before what is declared; without either it
    /// is UTF-8, or Windows-1252 where the beginning is no UTF-8.
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

    /// The charset that the first octets name themselves, and how many octets do so.
    static func byteOrderMark(_ octets: [UInt8]) -> (Charset, Int)? {
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if octets.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if octets.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    /// Whether every octet below 0x80 is its ASCII character, so that syntax can be looked for
    /// octet by octet.
    var isASCIICompatible: Bool { unitByteCount == 1 }

    /// The text of some bytes; nil in UTF-8, of which `StyledText` shows what is invalid byte by
    /// byte.
    func text(_ octets: ArraySlice<UInt8>) -> String? {
        if charset == .utf8 { return nil }
        let owned = Array(octets)
        return charset.decode(owned.span, isTruncated: true)?.text
    }

    /// The charset's name as people write it.
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
    /// Adds octets in their charset.
    mutating func append(
        _ octets: ArraySlice<UInt8>, _ style: Style = .plain, _ encoding: TextEncoding
    ) {
        if let text = encoding.text(octets) {
            appendTabbed(text, style)
        } else {
            appendTabbed(octets, style)
        }
    }
}
