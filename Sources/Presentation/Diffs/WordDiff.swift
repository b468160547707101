/// Marks the words in which two lines differ.
enum WordDiff {
    /// Lines with more words are not examined: time grows with the square of their number.
    private static let wordCountMax = 500
    /// The percentage of a line's bytes that must be equal for the rest to be marked: lines that
    /// have less in common are simply different.
    private static let sharePercentMin = 30
    /// How differing words are marked, visible on any background and without colours.
    private static let mark: Style.Attributes = [.bold, .underline]

    /// Both lines with marks, or unchanged if they have little in common.
    static func marked(_ old: StyledText, _ new: StyledText) -> (old: StyledText, new: StyledText) {
        let (oldText, newText) = (old.text, new.text)
        let (left, right) = (words(oldText), words(newText))
        guard left.count <= wordCountMax, right.count <= wordCountMax else { return (old, new) }
        // Byte by byte, as lines are compared: equivalent texts of Unicode are not equal.
        var numbers: [[UInt8]: Int] = [:]
        func number(_ word: Substring) -> Int {
            let key = Array(word.utf8)
            if let known = numbers[key] { return known }
            numbers[key] = numbers.count
            return numbers.count - 1
        }
        let pieces = LineDiff.pieces(left.map(number), right.map(number)) ?? []
        var (removed, added): ([Range<Int>], [Range<Int>]) = ([], [])
        var sameByteCount = 0
        for piece in pieces {
            switch piece {
            case .same(let start, _, let count):
                sameByteCount += byteRange(left[start..<start + count], in: oldText).count
            case .removed(let range): removed.append(byteRange(left[range], in: oldText))
            case .added(let range): added.append(byteRange(right[range], in: newText))
            }
        }
        let longest = max(oldText.utf8.count, newText.utf8.count)
        guard sameByteCount * 100 >= longest * sharePercentMin else { return (old, new) }
        return (old.adding(mark, in: removed), new.adding(mark, in: added))
    }

    /// Runs of letters and digits, runs of white space, and every other character alone.
    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        while start < text.endIndex {
            let kind = Kind(text[start])
            var end = text.index(after: start)
            while kind != .other, end < text.endIndex, Kind(text[end]) == kind {
                end = text.index(after: end)
            }
            words.append(text[start..<end])
            start = end
        }
        return words
    }

    private enum Kind: Hashable {
        case word, space, other

        init(_ character: Character) {
            if character.isLetter || character.isNumber || character == "_" {
                self = .word
            } else {
                self = character.isWhitespace ? .space : .other
            }
        }
    }

    /// The range of adjacent words in UTF-8 bytes.
    private static func byteRange(_ words: ArraySlice<Substring>, in text: String) -> Range<Int> {
        guard let first = words.first, let last = words.last else { return 0..<0 }
        let start = text.utf8.distance(from: text.startIndex, to: first.startIndex)
        return start..<text.utf8.distance(from: text.startIndex, to: last.endIndex)
    }
}
