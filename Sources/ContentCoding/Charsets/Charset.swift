/// A character encoding of content.
public enum Charset: Sendable, Hashable {
    case utf8
    /// UTF-16, little-endian unless a byte order mark says otherwise (WHATWG Encoding §4.2).
    case utf16LittleEndian
    case utf16BigEndian
    /// Windows-1252, also used for ISO-8859-1 and US-ASCII, as in every browser: senders that
    /// declare these and use bytes from 0x80 to 0x9F mean Windows-1252.
    case windows1252
    /// A charset that the system supports, by its label in lower case.
    case legacy(String)

    /// The charset for a label, in any case; nil if it is unknown.
    public init?(label: String) {
        let quoted = label.lowercased()
        let trimmed = quoted.drop { " \t\"'".contains($0) }
        let name = String(trimmed.prefix { !" \t\"'".contains($0) })
        switch name {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8": self = .utf8
        case "utf-16", "utf-16le", "ucs-2", "unicode": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "us-ascii", "ascii",
            "windows-1252", "cp1252", "x-cp1252", "ansi_x3.4-1968":
            self = .windows1252
        default:
            guard LegacyCharset.isKnown(name) else { return nil }
            self = .legacy(name)
        }
    }

    /// Decodes bytes in their declared charset.
    ///
    /// A byte order mark takes precedence over the declaration. Without either, bytes are text if
    /// they are valid UTF-8.
    /// - Parameters:
    ///   - bytes: The bytes, with content codings removed.
    ///   - label: The charset parameter of Content-Type.
    ///   - isTruncated: Whether the bytes are only the start: then an incomplete character at the
    ///     end is left out and does not count as lossy. Legacy charsets ignore this.
    /// - Returns: nil if the charset is unknown, if bytes are invalid in a legacy charset, or if
    ///   none is declared and the bytes are not UTF-8.
    public static func decode(
        _ bytes: Span<UInt8>,
        label: String?,
        isTruncated: Bool = false
    ) -> DecodedText? {
        if let (charset, markByteCount) = byteOrderMark(bytes) {
            let rest = bytes.extracting(markByteCount..<bytes.count)
            return charset.decode(rest, isTruncated: isTruncated)
        }
        if let label {
            return Charset(label: label)?.decode(bytes, isTruncated: isTruncated)
        }
        let text = Charset.utf8.decode(bytes, isTruncated: isTruncated)
        return text?.isLossy == true ? nil : text
    }

    /// Decodes bytes if all of them are valid in the charset; otherwise nil.
    public static func text(_ bytes: [UInt8], label: String) -> String? {
        let decoded = decode(bytes.span, label: label)
        return decoded?.isLossy == false ? decoded?.text : nil
    }

    /// Decodes bytes in the charset of their byte order mark, or in this charset if they have none
    /// (WHATWG Encoding §6, "decode"); nil as for `decode`.
    public func decodeUnlessMarked(_ bytes: Span<UInt8>) -> DecodedText? {
        guard let (charset, markByteCount) = Charset.byteOrderMark(bytes) else {
            return decode(bytes)
        }
        return charset.decode(bytes.extracting(markByteCount..<bytes.count))
    }

    /// Decodes bytes in this charset. Returns nil for a legacy charset that the system lacks, or in
    /// which some bytes are invalid.
    public func decode(_ bytes: Span<UInt8>, isTruncated: Bool = false) -> DecodedText? {
        switch self {
        case .utf8: Charset.decodeUTF8(bytes, isTruncated: isTruncated)
        case .utf16LittleEndian: decodeUTF16(bytes, isTruncated: isTruncated)
        case .utf16BigEndian: decodeUTF16(bytes, isTruncated: isTruncated)
        case .windows1252:
            DecodedText(text: Windows1252.text(bytes), charset: self, isLossy: false)
        case .legacy(let name):
            LegacyCharset.text(bytes, name).map {
                DecodedText(text: $0, charset: self, isLossy: false)
            }
        }
    }

    /// Encodes a text in Windows-1252; nil if it has characters that this charset lacks.
    public static func windows1252Bytes(of text: String) -> [UInt8]? {
        Windows1252.bytes(text)
    }

    private static func byteOrderMark(_ bytes: Span<UInt8>) -> (Charset, Int)? {
        guard bytes.count >= 2 else { return nil }
        if bytes[0] == 0xFF, bytes[1] == 0xFE { return (.utf16LittleEndian, 2) }
        if bytes[0] == 0xFE, bytes[1] == 0xFF { return (.utf16BigEndian, 2) }
        guard bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else {
            return nil
        }
        return (.utf8, 3)
    }

    private static func decodeUTF8(_ bytes: Span<UInt8>, isTruncated: Bool) -> DecodedText {
        let whole = isTruncated ? bytes.extracting(0..<lastBoundary(bytes)) : bytes
        if let span = try? UTF8Span(validating: whole) {
            return DecodedText(text: String(copying: span), charset: .utf8, isLossy: false)
        }
        let text = whole.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return DecodedText(text: text, charset: .utf8, isLossy: true)
    }

    /// The end of the last complete character.
    private static func lastBoundary(_ bytes: Span<UInt8>) -> Int {
        var start = bytes.count
        while start > 0, bytes.count - start < 4 {
            start -= 1
            let byte = bytes[start]
            if byte & 0xC0 == 0x80 { continue }
            return start + sequenceByteCount(byte) > bytes.count ? start : bytes.count
        }
        return bytes.count
    }

    /// The length of the UTF-8 sequence that a byte starts; 1 if it does not start one.
    private static func sequenceByteCount(_ byte: UInt8) -> Int {
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private func decodeUTF16(_ bytes: Span<UInt8>, isTruncated: Bool) -> DecodedText {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = 0
        while index &+ 1 < bytes.count {
            let first = UInt16(bytes[index])
            let second = UInt16(bytes[index &+ 1])
            units.append(self == .utf16BigEndian ? first << 8 | second : second << 8 | first)
            index &+= 2
        }
        var isCut = index < bytes.count
        if isTruncated, let last = units.last, UTF16.isLeadSurrogate(last) {
            units.removeLast()
        }
        if isTruncated { isCut = false }
        if !isCut, let text = String(validating: units, as: UTF16.self) {
            return DecodedText(text: text, charset: self, isLossy: false)
        }
        let text = String(decoding: units, as: UTF16.self) + (isCut ? "\u{FFFD}" : "")
        return DecodedText(text: text, charset: self, isLossy: true)
    }
}
