internal import Glibc

/// Charsets of old pages and devices, decoded by the C library.
enum LegacyCharset {
    /// The C library's names of the charsets, by their labels in lower case.
    private static let names: [String: String] = [
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
        "windows-31j": "CP932", "ms_kanji": "CP932", "iso-2022-jp": "ISO-2022-JP",
        // GB 18030 is a superset of GB 2312 and GBK, and UHC one of EUC-KR.
        "gb18030": "GB18030", "gbk": "GB18030", "gb2312": "GB18030", "x-gbk": "GB18030",
        "chinese": "GB18030", "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS",
        "x-x-big5": "BIG5-HKSCS", "euc-kr": "UHC", "ks_c_5601-1987": "UHC", "korean": "UHC",
        "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "windows-1250": "CP1250", "cp1250": "CP1250",
        "windows-1251": "CP1251", "cp1251": "CP1251", "windows-1253": "CP1253",
        "cp1253": "CP1253", "windows-1254": "CP1254", "cp1254": "CP1254",
        "iso-8859-9": "CP1254", "latin5": "CP1254", "windows-1255": "CP1255",
        "windows-1256": "CP1256", "windows-1257": "CP1257", "windows-1258": "CP1258",
        "iso-8859-2": "ISO-8859-2", "latin2": "ISO-8859-2", "iso-8859-3": "ISO-8859-3",
        "iso-8859-4": "ISO-8859-4", "iso-8859-5": "ISO-8859-5", "iso-8859-6": "ISO-8859-6",
        "iso-8859-7": "ISO-8859-7", "iso-8859-8": "ISO-8859-8", "iso-8859-10": "ISO-8859-10",
        "iso-8859-13": "ISO-8859-13", "iso-8859-14": "ISO-8859-14",
        "iso-8859-15": "ISO-8859-15", "iso-8859-16": "ISO-8859-16", "windows-874": "CP874",
        "tis-620": "CP874", "macintosh": "MACINTOSH", "utf-32": "UTF-32",
        "utf-32le": "UTF-32LE", "utf-32be": "UTF-32BE",
    ]
    private static let pieceByteCount = 16 << 10

    static func isKnown(_ name: String) -> Bool { names[name] != nil }

    /// The text, or nil if some bytes are invalid in the charset, or the system lacks its table.
    static func text(_ bytes: Span<UInt8>, _ name: String) -> String? {
        guard let charset = names[name], let converter = iconv_open("UTF-8", charset),
            converter != iconv_t(bitPattern: -1)
        else { return nil }
        defer { iconv_close(converter) }
        return bytes.withUnsafeBufferPointer { converted($0, converter) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func converted(
        _ bytes: UnsafeBufferPointer<UInt8>, _ converter: iconv_t
    ) -> [UInt8]? {
        var output: [UInt8] = []
        var input = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
            .assumingMemoryBound(to: CChar.self)
        var count = bytes.count
        var isFlushed = false
        while !isFlushed {
            let isLast = count == 0
            let problem = withUnsafeTemporaryAllocation(
                of: CChar.self, capacity: pieceByteCount
            ) { piece -> CInt in
                var (place, room) = (piece.baseAddress, piece.count)
                // The last call returns what the charset kept back to join with a later character.
                let result =
                    isLast
                    ? iconv(converter, nil, nil, &place, &room)
                    : iconv(converter, &input, &count, &place, &room)
                let problem = result == -1 ? errno : 0
                output += UnsafeRawBufferPointer(piece).dropLast(room)
                return problem
            }
            guard problem == 0 || problem == E2BIG else { return nil }
            isFlushed = isLast && problem == 0
        }
        return output
    }
}
