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
    static func areIn(_ octets: [UInt8]) -> Bool {
        // Digits and marks alone are an address, a time, or a version.
        let isNumber = octets.allSatisfy { !isLetter($0) } && octets.contains(where: isDigit)
        guard !isNumber else { return octets.count <= 4 }
        let isLong = octets.count >= byteCountMin
        let pieces = octets.split { !isLetter($0) && !isDigit($0) }
        if isLong, octets.contains(where: { !isLetter($0) && !isDigit($0) && !isSeparator($0) }) {
            return false
        }
        return pieces.allSatisfy { isPiece(Array($0), isLong: isLong) }
    }

    /// Whether a part between separators may be part of a name.
    private static func isPiece(_ octets: [UInt8], isLong: Bool) -> Bool {
        let hasDigit = octets.contains(where: isDigit)
        let isMixed = octets.contains(where: isLower) && octets.contains(where: isUpper)
        if !isLong {
            // Short words are not looked at any further.
            if !isMixed, !hasDigit { return true }
            if isMixed, !hasDigit, octets.count < 8 { return true }
            if !isMixed, octets.count < 6 || changeCount(octets) < 3 { return true }
        }
        if octets.allSatisfy(isDigit) { return octets.count <= 4 }
        let words = words(octets)
        // Names have few words that are single letters.
        guard !isMixed || octets.count * 10 >= words.count * 22 || octets.count < 8 else {
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
    private static func words(_ octets: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = []
        for (index, octet) in octets.enumerated() {
            let last = index > 0 ? octets[index - 1] : nil
            let next = index + 1 < octets.count ? octets[index + 1] : nil
            var isFirst = last.map { isDigit($0) != isDigit(octet) } ?? true
            if let last, isUpper(octet) {
                isFirst =
                    isFirst || isLower(last) || next.map { isUpper(last) && isLower($0) } ?? false
            }
            if isFirst { words.append([]) }
            words[words.count - 1].append(octet)
        }
        return words
    }

    private static func isWord(_ octets: [UInt8], isMixed: Bool) -> Bool {
        guard octets.allSatisfy({ $0 < 0x80 }) else { return true }
        // Plural of an abbreviation, or one of an abbreviation's usual length.
        if octets.allSatisfy(isUpper), isMixed { return octets.count <= 5 }
        let word = octets.map(ASCII.lowercased)
        if word.count <= 2 { return true }
        guard word.count <= wordByteCountMax else { return false }
        if abbreviations.contains(String(decoding: word, as: UTF8.self)) { return true }
        var vowelCount = 0
        var run = 0
        var rareCount = 0
        for octet in word {
            if "aeiouy".utf8.contains(octet) {
                vowelCount += 1
                run = 0
            } else {
                run += 1
                if run > 5 { return false }
            }
            if "jqxz".utf8.contains(octet) { rareCount += 1 }
        }
        return vowelCount * 6 >= word.count && rareCount * 4 <= max(4, word.count)
    }

    private static func changeCount(_ octets: [UInt8]) -> Int {
        zip(octets, octets.dropFirst()).count { isDigit($0) != isDigit($1) }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
    private static func isLower(_ octet: UInt8) -> Bool { (0x61...0x7A).contains(octet) }
    private static func isUpper(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet) }

    private static func isLetter(_ octet: UInt8) -> Bool {
        isLower(octet) || isUpper(octet) || octet >= 0x80
    }

    private static func isSeparator(_ octet: UInt8) -> Bool {
        " -_.:,/[]()$#~@*!?'".utf8.contains(octet)
    }
}
