/// A character encoding of WHATWG Encoding, whose names the raw values are, or UTF-32.
public enum Charset: String, Sendable, Hashable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16LE"
    case utf16BigEndian = "UTF-16BE"
    /// UTF-32, which the standard does not have, and JSON texts may have.
    case utf32LittleEndian = "UTF-32LE"
    case utf32BigEndian = "UTF-32BE"
    case ibm866 = "IBM866"
    case iso8859x2 = "ISO-8859-2"
    case iso8859x3 = "ISO-8859-3"
    case iso8859x4 = "ISO-8859-4"
    case iso8859x5 = "ISO-8859-5"
    case iso8859x6 = "ISO-8859-6"
    case iso8859x7 = "ISO-8859-7"
    case iso8859x8 = "ISO-8859-8"
    case iso8859x8I = "ISO-8859-8-I"
    case iso8859x10 = "ISO-8859-10"
    case iso8859x13 = "ISO-8859-13"
    case iso8859x14 = "ISO-8859-14"
    case iso8859x15 = "ISO-8859-15"
    case iso8859x16 = "ISO-8859-16"
    case koi8r = "KOI8-R"
    case koi8u = "KOI8-U"
    case macintosh
    case windows874 = "windows-874"
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    /// Also used for ISO-8859-1 and US-ASCII, as in every browser: senders that declare these and
    /// use bytes from 0x80 to 0x9F mean Windows-1252.
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1255 = "windows-1255"
    case windows1256 = "windows-1256"
    case windows1257 = "windows-1257"
    case windows1258 = "windows-1258"
    case macCyrillic = "x-mac-cyrillic"
    case gbk = "GBK"
    case gb18030
    case big5 = "Big5"
    case eucJP = "EUC-JP"
    case iso2022JP = "ISO-2022-JP"
    case shiftJIS = "Shift_JIS"
    case eucKR = "EUC-KR"
    /// Encodings that can hide scripts, such as ISO-2022-KR and HZ: a text is one U+FFFD.
    case replacement
    /// ASCII, and each other byte as a character from U+F780.
    case xUserDefined = "x-user-defined"

    /// The charset for a label, in any case, with white space and quotation marks around it; nil if
    /// the standard does not know it. UTF-7 is not known.
    public init?(label: String) {
        let outside: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), 0x27]
        let begun = label.utf8.drop { outside.contains($0) }
        let name = begun.prefix { !outside.contains($0) }
        guard name.count <= Charset.labelByteCountMax,
            let charset = Charset.byLabel[Charset.lowercased(name)]
        else { return nil }
        self = charset
    }

    private static let labelByteCountMax = 32

    /// Only letters of ASCII have another case here.
    private static func lowercased(_ label: Substring.UTF8View) -> String {
        String(decoding: label.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static let byLabel: [String: Charset] = {
        var charsets: [String: Charset] = [:]
        for line in labelText.description.split(separator: "\n") {
            let words = line.split { $0 == ":" || $0 == " " }
            guard let name = words.first, let charset = Charset(rawValue: String(name)) else {
                continue
            }
            for label in line.dropFirst(name.count + 1).split(separator: " ") {
                charsets[String(label)] = charset
            }
        }
        charsets["utf-32"] = .utf32LittleEndian
        charsets["utf-32le"] = .utf32LittleEndian
        charsets["utf-32be"] = .utf32BigEndian
        return charsets
    }()

    /// The size of a code unit in bytes.
    public var unitByteCount: Int {
        switch self {
        case .utf16LittleEndian, .utf16BigEndian: 2
        case .utf32LittleEndian, .utf32BigEndian: 4
        default: 1
        }
    }

    /// Whether a code unit of several bytes begins with its most significant one.
    public var isBigEndian: Bool { self == .utf16BigEndian || self == .utf32BigEndian }

    /// Whether every line of a text can be decoded alone, and line feeds are found byte by byte. So
    /// it is in ISO-2022-JP, whose lines end in ASCII (RFC 1468).
    public var hasIndependentLines: Bool { unitByteCount == 1 && self != .replacement }

    /// U+FEFF in this charset, which may be in front of a text; empty if it does not have it.
    public var byteOrderMark: [UInt8] {
        switch self {
        case .utf8: [0xEF, 0xBB, 0xBF]
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
        case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
        default: []
        }
    }
}

public struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    public let text: String
    public let charset: Charset
    /// Whether U+FFFD replaces invalid bytes, so that the text does not represent all bytes.
    public let isLossy: Bool
}

/// A character of a text that its charset lacks.
public struct UnencodableCharacter: Error, Hashable, CustomStringConvertible {
    /// The first character that cannot be encoded.
    public let character: Unicode.Scalar
    public let charset: Charset

    /// A sentence for people, as “Shift_JIS has no U+1F600”.
    public var description: String {
        let code = String(character.value, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(0, 4 - code.count))
        return "\(charset.rawValue) has no U+\(zeros)\(code)"
    }
}
