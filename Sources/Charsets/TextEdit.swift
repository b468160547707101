/// A change of a text as UTF-8.
public struct TextChange: Sendable, Hashable {
    public let range: Range<Int>
    public let text: [UInt8]

    public init(_ range: Range<Int>, to text: [UInt8]) {
        self.range = range
        self.text = text
    }

    /// A change for each line that differs, or one for all if lines were added or removed.
    static func between(_ former: [UInt8], _ edited: [UInt8]) -> [TextChange] {
        let (before, after) = (lines(former), lines(edited))
        guard before.count == after.count else {
            return [trimmed(former, former.indices, edited, edited.indices)]
        }
        return zip(before, after).compactMap { old, new in
            former[old] == edited[new] ? nil : trimmed(former, old, edited, new)
        }
    }

    private static func lines(_ text: [UInt8]) -> [Range<Int>] {
        text.split(separator: 0x0A, omittingEmptySubsequences: false).map(\.indices)
    }

    /// A change without what both texts have in common at the start and at the end.
    private static func trimmed(
        _ former: [UInt8], _ old: Range<Int>, _ edited: [UInt8], _ new: Range<Int>
    ) -> TextChange {
        let countMax = min(old.count, new.count)
        let start =
            (0..<countMax).first {
                former[old.lowerBound + $0] != edited[new.lowerBound + $0]
            } ?? countMax
        let end =
            (0..<countMax - start).first {
                former[old.upperBound - 1 - $0] != edited[new.upperBound - 1 - $0]
            } ?? countMax - start
        return TextChange(
            old.lowerBound + start..<old.upperBound - end,
            to: Array(edited[new.lowerBound + start..<new.upperBound - end]))
    }
}

extension TextCharset {
    /// The bytes of an edited text. What does not change keeps its bytes, even if they are invalid,
    /// or if the charset has other bytes for a character.
    /// - Parameters:
    ///   - edited: The edited text as UTF-8, without a byte order mark.
    ///   - bytes: The bytes before the edit, with their byte order mark.
    ///   - changes: What was edited, in the order of the text, if that is known.
    public func encode(
        _ edited: [UInt8], inPlaceOf bytes: [UInt8], changes: [TextChange]? = nil
    ) throws(UnencodableCharacter) -> [UInt8] {
        if charset == .utf8 || charset == .replacement {
            return bytes.prefix(markByteCount) + edited
        }
        let former = utf8(of: bytes)
        let changes = changes ?? TextChange.between(former, edited)
        return try spliced(changes, of: former, bytes, with: charset.decoder)
    }

    private func spliced(
        _ changes: [TextChange], of former: [UInt8], _ bytes: [UInt8],
        with decoder: some CharacterDecoder
    ) throws(UnencodableCharacter) -> [UInt8] {
        var place = TextOffsets(decoder, index: markByteCount)
        var output: [UInt8] = []
        var copied = 0
        var rest = changes[...]
        while let change = rest.popFirst() {
            place.move(toCharacterOf: change.range.lowerBound, in: bytes.span)
            let start = place
            var text = Array(former[start.text..<change.range.lowerBound]) + change.text
            var end = change.range.upperBound
            place.pass(end, in: bytes.span)
            // Changes of the rest of the same character.
            while let next = rest.first, next.range.lowerBound < place.text {
                text += former[end..<next.range.lowerBound] + next.text
                end = next.range.upperBound
                place.pass(end, in: bytes.span)
                rest.removeFirst()
            }
            text += former[end..<place.text]
            output += bytes[copied..<start.index]
            output += try encoded(text, from: start, to: place, in: bytes)
            copied = place.index
        }
        return output + bytes[copied...]
    }

    /// The bytes of a text between two places of others.
    private func encoded<Decoder>(
        _ text: [UInt8], from start: TextOffsets<Decoder>, to end: TextOffsets<Decoder>,
        in bytes: [UInt8]
    ) throws(UnencodableCharacter) -> [UInt8] {
        let text = String(decoding: text, as: UTF8.self)
        guard let before = start.decoder as? ISO2022JPDecoder,
            let after = end.decoder as? ISO2022JPDecoder
        else { return try charset.encode(text) }
        // An escape sequence may not follow another one.
        let isFollowed = end.index < bytes.count && bytes[end.index] == 0x1B
        return try charset.encode(
            text, with: ISO2022JPEncoder(set: before.set, end: isFollowed ? nil : after.set))
    }
}

/// A place in a text as UTF-8 and in the bytes that it is decoded from.
private struct TextOffsets<Decoder: CharacterDecoder> {
    private(set) var decoder: Decoder
    private(set) var text = 0
    private(set) var index: Int

    init(_ decoder: Decoder, index: Int) {
        self.decoder = decoder
        self.index = index
    }

    /// Moves on to the start of the character that has a byte of the text.
    mutating func move(toCharacterOf target: Int, in bytes: Span<UInt8>) {
        while text < target, index < bytes.count {
            let before = self
            step(bytes)
            if text > target { return self = before }
        }
    }

    /// Moves on to the end of the character before a byte of the text.
    mutating func pass(_ target: Int, in bytes: Span<UInt8>) {
        while text < target, index < bytes.count { step(bytes) }
    }

    private mutating func step(_ bytes: Span<UInt8>) {
        text += decoder.next(bytes, &index, isEnd: true).utf8Count
    }
}

extension DecodedCharacter {
    fileprivate var utf8Count: Int {
        switch self {
        case .character(let character): character.utf8.count
        case .pair(let first, let second): first.utf8.count + second.utf8.count
        case .nothing, .incomplete: 0
        case .invalid: 3
        }
    }
}
