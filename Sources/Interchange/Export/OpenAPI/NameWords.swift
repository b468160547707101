internal import ProxydHTTPModel

/// Tells names, which consist of words, from keys and tokens, without a dictionary: words can be
/// spoken.
enum NameWords {
    /// The size from which every part of a name must be a word.
    private static let byteCountMin = 16
    private static let wordByteCountMax = 20
    /// Parts of common names that are words without a vowel.
    private static let abbreviations: Set<String> = [
        "html", "http", "https", "xml", "css", "ssl", "tls", "pdf", "sql", "jwt", "pwd", "str",
        "src", "msg", "img", "btn", "txt", "ctx", "cfg", "rss", "xhr", "lng", "num", "ttl", "dns",
        "tcp", "vpn", "sms", "png", "svg", "csv", "cdn", "rgb", "www", "dst", "tmp", "ptr", "cmd",
        "sdk", "xss", "nft", "mfa", "pnr", "ssn", "npm", "grpc", "crm", "pct", "qty", "amt",
    ]

    /// Whether a text may be a name.
    static func areIn(_ bytes: [UInt8]) -> Bool {
        // Digits and marks alone are an address, a time, or a version.
        let isNumber = bytes.allSatisfy { !isLetter($0) } && bytes.contains(where: isDigit)
        guard !isNumber else { return bytes.count <= 4 }
        let isLong = bytes.count >= byteCountMin
        let pieces = bytes.split { !isLetter($0) && !isDigit($0) }
        if isLong, bytes.contains(where: { !isLetter($0) && !isDigit($0) && !isSeparator($0) }) {
            return false
        }
        return pieces.allSatisfy { isPiece(Array($0), isLong: isLong) }
    }

    /// Whether a part between separators may be part of a name.
    private static func isPiece(_ bytes: [UInt8], isLong: Bool) -> Bool {
        let hasDigit = bytes.contains(where: isDigit)
        let isMixed = bytes.contains(where: isLower) && bytes.contains(where: isUpper)
        if !isLong {
            // Short words are not looked at any further.
            if !isMixed, !hasDigit { return true }
            if isMixed, !hasDigit, bytes.count < 8 { return true }
            if !isMixed, bytes.count < 6 || changeCount(bytes) < 3 { return true }
        }
        if bytes.allSatisfy(isDigit) { return bytes.count <= 4 }
        let words = words(bytes)
        // Names have few words that are single letters.
        guard !isMixed || bytes.count * 10 >= words.count * 22 || bytes.count < 8 else {
            return false
        }
        return words.enumerated().allSatisfy { index, word in
            guard word.contains(where: isDigit) else { return isWord(word, isMixed: isMixed) }
            // A number ends a part, or a word within it.
            return word.count <= 4 && index > 0
                && (index == words.count - 1
                    || words[index - 1].contains(where: isLower) && isUpper(words[index + 1][0])
                        && index == words.count - 2)
        }
    }

    /// `userID2` is `user`, `ID` and `2`; `HTTPResponse` is `HTTP` and `Response`.
    private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        for (index, byte) in bytes.enumerated() {
            let last = index > 0 ? bytes[index - 1] : nil
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            var isFirst = last.map { isDigit($0) != isDigit(byte) } ?? true
            if let last, isUpper(byte) {
                isFirst =
                    isFirst || isLower(last) || next.map { isUpper(last) && isLower($0) } ?? false
            }
            if isFirst { words.append([]) }
            words[words.count - 1].append(byte)
        }
        return words
    }

    private static func isWord(_ bytes: [UInt8], isMixed: Bool) -> Bool {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return true }
        // Plural of an abbreviation, or one of an abbreviation's usual length.
        if bytes.allSatisfy(isUpper), isMixed { return bytes.count <= 5 }
        let word = bytes.map(ASCII.lowercased)
        if word.count <= 2 { return true }
        guard word.count <= wordByteCountMax else { return false }
        if abbreviations.contains(String(decoding: word, as: UTF8.self)) { return true }
        var vowelCount = 0
        var run = 0
        var rareCount = 0
        for byte in word {
            if "aeiouy".utf8.contains(byte) {
                vowelCount += 1
                run = 0
            } else {
                run += 1
                if run > 5 { return false }
            }
            if "jqxz".utf8.contains(byte) { rareCount += 1 }
        }
        return vowelCount * 6 >= word.count && rareCount * 4 <= max(4, word.count)
    }

    private static func changeCount(_ bytes: [UInt8]) -> Int {
        zip(bytes, bytes.dropFirst()).count { isDigit($0) != isDigit($1) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isLower(byte) || isUpper(byte) || byte >= 0x80
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        " -_.:,/[]()$#~@*!?'".utf8.contains(byte)
    }
}
