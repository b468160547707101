internal import ProxydContentCoding
internal import ProxydHTTPModel

/// What is looked for in a body: octets in the body's own charset.
package struct BodyNeedle: Sendable, Hashable {
    /// What a person typed.
    package let text: String
    package let isCaseSensitive: Bool
    /// The octets, any of which is a match; in lower case where case does not matter.
    package let patterns: [[UInt8]]
    /// The length of the longest pattern.
    package let byteCount: Int

    /// A text to look for; digits after `0x` are bytes. nil where there is nothing to look for.
    package init?(_ text: String, _ encoding: TextEncoding, isCaseSensitive mindsCase: Bool = false)
    {
        self.text = text
        let octets = BodyNeedle.octets(text)
        isCaseSensitive = octets != nil || mindsCase
        var patterns: [[UInt8]] = []
        if let octets {
            patterns = [octets]
        } else if isCaseSensitive {
            patterns = [encoding.octets(text)]
        } else {
            // Letters beyond ASCII are not folded octet by octet: both forms are looked for.
            for form in [text.lowercased(), text.uppercased()] {
                let octets = encoding.octets(form).map { ASCII.lowercased($0) }
                if !patterns.contains(octets) { patterns.append(octets) }
            }
        }
        self.patterns = patterns.filter { !$0.isEmpty }
        guard let longest = self.patterns.map(\.count).max() else { return nil }
        byteCount = longest
    }

    /// The octets that digits behind `0x` mean.
    private static func octets(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2).utf8.filter { $0 != 0x20 }
        guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let octet = UInt8(pair, radix: 16) else { return nil }
            octets.append(octet)
        }
        return octets
    }

    /// The first match that begins in a range, and its length.
    package func first(in octets: Span<UInt8>, _ starts: Range<Int>) -> Range<Int>? {
        for start in starts {
            if let length = match(octets, start) { return start..<start + length }
        }
        return nil
    }

    /// The last match that begins in a range, and its length.
    package func last(in octets: Span<UInt8>, _ starts: Range<Int>) -> Range<Int>? {
        for start in starts.reversed() {
            if let length = match(octets, start) { return start..<start + length }
        }
        return nil
    }

    private func match(_ octets: Span<UInt8>, _ start: Int) -> Int? {
        for pattern in patterns where start &+ pattern.count <= octets.count {
            var index = 0
            while index < pattern.count {
                let octet = octets[start &+ index]
                let folded = isCaseSensitive ? octet : ASCII.lowercased(octet)
                if folded != pattern[index] { break }
                index &+= 1
            }
            if index == pattern.count { return index }
        }
        return nil
    }
}

extension TextEncoding {
    /// A text's octets in this charset, as far as it is one of Unicode's or Windows-1252; those
    /// of UTF-8 for all others.
    package func octets(_ text: String) -> [UInt8] {
        switch charset {
        case .utf16LittleEndian:
            return text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian:
            return text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .windows1252:
            // The characters that Latin-1 has, too; the others are few.
            let scalars = text.unicodeScalars
            guard scalars.allSatisfy({ $0.value < 0x80 || 0xA0...0xFF ~= $0.value }) else {
                return Array(text.utf8)
            }
            return scalars.map { UInt8(truncatingIfNeeded: $0.value) }
        default: return Array(text.utf8)
        }
    }
}
