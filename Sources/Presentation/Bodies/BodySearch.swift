internal import ProxydHTTPModel

/// Searches a whole body, piece by piece.
package struct BodySearch {
    package enum Direction: Sendable, Hashable {
        case forward, backward
    }

    /// How many bytes are examined between two checks for cancellation.
    package static let windowByteCount = 256 << 10

    private let needle: BodyNeedle
    private let source: any BodySource
    /// Makes more of the body available, up to a number of bytes.
    private let load: (Int) -> Void
    private let isCancelled: () -> Bool
    private let progress: (Int) -> Void

    /// Creates a search that loads more if needed, asks whether to go on, and reports its offset.
    package init(
        needle: BodyNeedle, source: any BodySource, load: @escaping (Int) -> Void,
        isCancelled: @escaping () -> Bool, progress: @escaping (Int) -> Void
    ) {
        self.needle = needle
        self.source = source
        self.load = load
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// The first match that starts in a range, or the last one when searching backward.
    package func match(in range: Range<Int>, _ direction: Direction) -> Range<Int>? {
        switch direction {
        case .forward: return forward(range.lowerBound, range.upperBound)
        case .backward:
            if range.upperBound > source.extent.byteCount { load(range.upperBound) }
            return backward(range.lowerBound, min(range.upperBound, source.extent.byteCount))
        }
    }

    /// The first match that starts at or after `start` and before `end`.
    private func forward(_ start: Int, _ end: Int) -> Range<Int>? {
        var start = start
        while start < end, !isCancelled() {
            let window = window(start)
            let starts = 0..<min(BodySearch.windowByteCount, window.count, end - start)
            if let found = needle.first(in: window.span, starts) {
                return found.lowerBound + start..<found.upperBound + start
            }
            if window.count <= BodySearch.windowByteCount {
                // There is nothing after the examined bytes.
                return nil
            }
            start += BodySearch.windowByteCount
            progress(start)
        }
        return nil
    }

    /// The last match that starts at or after `start` and before `end`.
    private func backward(_ start: Int, _ end: Int) -> Range<Int>? {
        var end = end
        while end > start, !isCancelled() {
            let lower = max(start, end - BodySearch.windowByteCount)
            let window = source.read(from: lower, byteCount: end - lower + needle.byteCount - 1)
            if let found = needle.last(in: window.span, 0..<min(end - lower, window.count)) {
                return found.lowerBound + lower..<found.upperBound + lower
            }
            end = lower
            progress(end)
        }
        return nil
    }

    /// A window, with enough bytes after it that a match on its border is complete.
    private func window(_ start: Int) -> [UInt8] {
        let count = BodySearch.windowByteCount + needle.byteCount
        let extent = source.extent
        if !extent.isComplete, start + count > extent.byteCount {
            // In growing steps, so that the available bytes are skipped only a few times.
            load(max(start + count, extent.byteCount * 4, 4 << 20))
        }
        return source.read(from: start, byteCount: count)
    }
}

/// The text to find in a body, as bytes in the body's charset.
package struct BodyNeedle: Sendable, Hashable {
    package let text: String
    package let isCaseSensitive: Bool
    /// The bytes to find, any of which is a match; in lower case if case is ignored.
    package let patterns: [[UInt8]]
    /// The length of the longest pattern in bytes.
    package let byteCount: Int

    /// Creates a needle for a text, or for bytes after `0x`; nil if there is nothing to find.
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

    package func first(in bytes: Span<UInt8>, _ starts: Range<Int>) -> Range<Int>? {
        for start in starts {
            if let length = match(bytes, start) { return start..<start + length }
        }
        return nil
    }

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
