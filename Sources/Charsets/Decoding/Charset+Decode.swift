extension Charset {
    /// Decodes bytes, which have no byte order mark. What is invalid becomes U+FFFD.
    /// - Parameter isTruncated: Whether the bytes are only the start: then an incomplete character
    ///   at the end is left out and does not count as lossy.
    public func decode(_ bytes: Span<UInt8>, isTruncated: Bool = false) -> DecodedText {
        if self == .utf8, let span = try? UTF8Span(validating: bytes) {
            return DecodedText(text: String(copying: span), charset: self, isLossy: false)
        }
        let decoded = utf8(bytes, isTruncated: isTruncated)
        return DecodedText(
            text: String(decoding: decoded.bytes, as: UTF8.self), charset: self,
            isLossy: decoded.isLossy)
    }

    /// The text of bytes as UTF-8, as for `decode`.
    func utf8(_ bytes: Span<UInt8>, isTruncated: Bool) -> (bytes: [UInt8], isLossy: Bool) {
        decode(bytes, isTruncated: isTruncated, with: decoder)
    }

    private func decode(
        _ bytes: Span<UInt8>, isTruncated: Bool, with decoder: some CharacterDecoder
    ) -> (bytes: [UInt8], isLossy: Bool) {
        var decoder = decoder
        var output = UTF8Output(capacity: bytes.count)
        var index = 0
        while index < bytes.count {
            guard output.append(decoder.next(bytes, &index, isEnd: !isTruncated)) else { break }
        }
        return (output.bytes, output.isLossy)
    }
}

/// Characters as UTF-8.
struct UTF8Output {
    private(set) var bytes: [UInt8] = []
    private(set) var isLossy = false

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends what a decoder found. Returns false if it needs more bytes.
    mutating func append(_ found: DecodedCharacter) -> Bool {
        switch found {
        case .character(let character): append(character)
        case .pair(let first, let second):
            append(first)
            append(second)
        case .nothing: break
        case .invalid:
            isLossy = true
            append("\u{FFFD}")
        case .incomplete: return false
        }
        return true
    }

    private mutating func append(_ character: Unicode.Scalar) {
        if character.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: character.value))
        } else {
            bytes.append(contentsOf: character.utf8)
        }
    }
}
