internal import ProxydHTTPModel

/// The text to find in a body, as bytes in the body's charset.
package struct BodyNeedle: Sendable, Hashable {
    /// The text that the user typed.
    package let text: String
    package let isCaseSensitive: Bool
    /// The bytes to find, any of which is a match; in lower case if case is ignored.
    package let patterns: [[UInt8]]
    /// The length of the longest pattern in bytes.
    package let byteCount: Int

    /// Creates a needle for a text; digits after `0x` are bytes. Returns nil if there is nothing to
    /// find.
    package init?(_ text: String, _ encoding: TextEncoding, isCaseSensitive mindsCase: Bool = false)
    {
        self.text = text
        let bytes = BodyNeedle.bytes(text)
        isCaseSensitive = bytes != nil || mindsCase
        var patterns: [[UInt8]] = []
        if let bytes {
            patterns = [bytes]
        } else if isCaseSensitive {
            patterns = [encoding.bytes(text)]
        } else {
            // Letters beyond ASCII cannot be compared byte by byte: both cases are searched for.
            for form in [text.lowercased(), text.uppercased()] {
                let bytes = encoding.bytes(form).map { ASCII.lowercased($0) }
                if !patterns.contains(bytes) { patterns.append(bytes) }
            }
        }
        self.patterns = patterns.filter { !$0.isEmpty }
        guard let longest = self.patterns.map(\.count).max() else { return nil }
        byteCount = longest
    }

    /// The bytes that hexadecimal digits after `0x` denote.
    private static func bytes(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2).utf8.filter { $0 != 0x20 }
        let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard !digits.isEmpty, digits.count % 2 == 0, isHex else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// The range of the first match that starts in a range.
    package func first(in bytes: Span<UInt8>, _ starts: Range<Int>) -> Range<Int>? {
        for start in starts {
            if let length = match(bytes, start) { return start..<start + length }
        }
        return nil
    }

    /// The range of the last match that starts in a range.
    package func last(in bytes: Span<UInt8>, _ starts: Range<Int>) -> Range<Int>? {
        for start in starts.reversed() {
            if let length = match(bytes, start) { return start..<start + length }
        }
        return nil
    }

    private func match(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        for pattern in patterns where start &+ pattern.count <= bytes.count {
            var index = 0
            while index < pattern.count {
                let byte = bytes[start &+ index]
                let folded = isCaseSensitive ? byte : ASCII.lowercased(byte)
                if folded != pattern[index] { break }
                index &+= 1
            }
            if index == pattern.count { return index }
        }
        return nil
    }
}
