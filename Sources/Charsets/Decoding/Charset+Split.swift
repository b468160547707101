/// A place between two characters, where a long text is split.
public struct TextSplit: Sendable, Hashable {
    /// The size of the part before it, in bytes; 0 if no character is whole.
    public let byteCount: Int
    /// The escape sequence that decides how the part after it is read, for use in front of it.
    /// Empty in all charsets but ISO-2022-JP.
    public let escape: [UInt8]
}

extension Charset {
    /// The last place in a text that is between two characters.
    /// - Parameter escape: The escape sequence that an earlier split gave.
    public func split(_ bytes: Span<UInt8>, after escape: [UInt8] = []) -> TextSplit {
        if self == .utf8 { return TextSplit(byteCount: UTF8Look.wholeByteCount(bytes), escape: []) }
        return split(bytes, after: escape, with: decoder)
    }

    private func split(
        _ bytes: Span<UInt8>, after escape: [UInt8], with decoder: some CharacterDecoder
    ) -> TextSplit {
        var decoder = decoder
        var index = 0
        let sequence = escape.span
        while index < sequence.count,
            decoder.next(sequence, &index, isEnd: false) != .incomplete
        {}
        index = 0
        var last = escape
        while index < bytes.count {
            let start = index
            let found = decoder.next(bytes, &index, isEnd: false)
            if found == .incomplete { break }
            if self == .iso2022JP, bytes[start] == 0x1B, index &- start == 3 {
                last = (start..<index).map { bytes[$0] }
            }
        }
        return TextSplit(byteCount: index, escape: last)
    }
}
