internal import Foundation

/// Charsets of old pages and devices, decoded by Foundation.
enum LegacyCharset {
    /// An encoding by its Core Foundation number, for encodings that Foundation does not name.
    private static func external(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }

    private static let encodings: [String: String.Encoding] = [
        "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS, "x-sjis": .shiftJIS,
        "windows-31j": .shiftJIS, "ms_kanji": .shiftJIS, "iso-2022-jp": .iso2022JP,
        // GB 18030 is a superset of GB 2312 and GBK.
        "gb18030": external(0x0632), "gbk": external(0x0632), "gb2312": external(0x0632),
        "x-gbk": external(0x0632), "chinese": external(0x0632),
        "big5": external(0x0A03), "big5-hkscs": external(0x0A03), "x-x-big5": external(0x0A03),
        "euc-kr": external(0x0940), "ks_c_5601-1987": external(0x0940),
        "korean": external(0x0940), "koi8-r": external(0x0A02), "koi8-u": external(0x0A08),
        "windows-1250": .windowsCP1250, "cp1250": .windowsCP1250,
        "windows-1251": .windowsCP1251, "cp1251": .windowsCP1251,
        "windows-1253": .windowsCP1253, "cp1253": .windowsCP1253,
        "windows-1254": .windowsCP1254, "cp1254": .windowsCP1254,
        "iso-8859-9": .windowsCP1254, "latin5": .windowsCP1254,
        "windows-1255": external(0x0505), "windows-1256": external(0x0506),
        "windows-1257": external(0x0507), "windows-1258": external(0x0508),
        "iso-8859-2": .isoLatin2, "latin2": .isoLatin2, "iso-8859-3": external(0x0203),
        "iso-8859-4": external(0x0204), "iso-8859-5": external(0x0205),
        "iso-8859-6": external(0x0206), "iso-8859-7": external(0x0207),
        "iso-8859-8": external(0x0208), "iso-8859-10": external(0x020A),
        "iso-8859-13": external(0x020D), "iso-8859-14": external(0x020E),
        "iso-8859-15": external(0x020F), "iso-8859-16": external(0x0210),
        "windows-874": external(0x041D), "tis-620": external(0x041D),
        "macintosh": .macOSRoman, "utf-32": .utf32, "utf-32le": .utf32LittleEndian,
        "utf-32be": .utf32BigEndian,
    ]

    static func isKnown(_ name: String) -> Bool { encodings[name] != nil }

    /// The text, or nil if some bytes are invalid in the charset.
    static func text(_ octets: Span<UInt8>, _ name: String) -> String? {
        guard let encoding = encodings[name] else { return nil }
        return octets.withUnsafeBufferPointer { String(bytes: $0, encoding: encoding) }
    }
}
