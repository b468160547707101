extension TextCharset {
    /// The bytes of an edited text. What comes before the first change and after the last one keeps
    /// its bytes, even if they are invalid, or if the charset has other bytes for a character.
    /// - Parameters:
    ///   - edited: The edited text as UTF-8, without a byte order mark.
    ///   - bytes: The bytes before the edit, with their byte order mark.
    public func encode(
        _ edited: [UInt8], inPlaceOf bytes: [UInt8]
    ) throws(UnencodableCharacter) -> [UInt8] {
        let mark = bytes.prefix(markByteCount)
        if charset == .utf8 { return mark + edited }
        // The set of characters at a place of ISO-2022-JP depends on what comes before.
        if charset == .iso2022JP || charset == .replacement {
            return mark + (try charset.encode(String(decoding: edited, as: UTF8.self)))
        }
        let former = utf8(of: bytes)
        let change = changed(former, edited)
        let (text, source) = aligned(change, bytes.span, with: charset.decoder)
        let end = edited.count - (former.count - text.upperBound)
        let changed = String(decoding: edited[text.lowerBound..<end], as: UTF8.self)
        return bytes[..<source.lowerBound] + (try charset.encode(changed))
            + bytes[source.upperBound...]
    }

    /// The range of a text without what it has in common with another one at the start and at the
    /// end.
    private func changed(_ former: [UInt8], _ edited: [UInt8]) -> Range<Int> {
        let countMax = min(former.count, edited.count)
        let start = (0..<countMax).first { former[$0] != edited[$0] } ?? countMax
        let end = (0..<countMax - start).first {
            former[former.count - 1 - $0] != edited[edited.count - 1 - $0]
        }
        return start..<former.count - (end ?? countMax - start)
    }

    /// Extends a range of a text as UTF-8 to whole sequences of its bytes, and returns it with its
    /// place in the bytes.
    private func aligned(
        _ range: Range<Int>, _ bytes: Span<UInt8>, with decoder: some CharacterDecoder
    ) -> (text: Range<Int>, source: Range<Int>) {
        var decoder = decoder
        var index = markByteCount
        var count = 0
        var start = (text: 0, source: markByteCount)
        while index < bytes.count, count < range.upperBound {
            if count <= range.lowerBound { start = (count, index) }
            count += decoder.next(bytes, &index, isEnd: true).utf8Count
        }
        if count <= range.lowerBound { start = (count, index) }
        return (start.text..<count, start.source..<index)
    }
}

extension DecodedCharacter {
    /// The size of its UTF-8 in bytes.
    fileprivate var utf8Count: Int {
        switch self {
        case .character(let character): character.utf8.count
        case .pair(let first, let second): first.utf8.count + second.utf8.count
        case .nothing, .incomplete: 0
        case .invalid: 3
        }
    }
}
