/// The differences between two lists, as removed and added runs.
package enum LineDiff {
    package enum Piece: Sendable, Hashable {
        /// Equal elements in both lists, starting at these indexes.
        case same(old: Int, new: Int, count: Int)
        case removed(Range<Int>)
        case added(Range<Int>)
    }

    /// With more differences than this, everything between the first and the last of them counts as
    /// replaced. This limits time (differences × length) and memory (differences squared).
    static let differenceCountMax = 1_000

    /// The runs in order, by Myers' greedy algorithm; nil if `isCancelled` returned true.
    package static func pieces(
        _ old: [Int], _ new: [Int], isCancelled: () -> Bool = { false }
    ) -> [Piece]? {
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed())
            .prefix { $0 == $1 }.count
        let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
        var pieces: [Piece] = []
        add(.same(old: 0, new: 0, count: head), to: &pieces)
        let middle = Middle(old: Array(old[head..<oldEnd]), new: Array(new[head..<newEnd]))
        guard let script = middle.script(isCancelled) else { return nil }
        for piece in script {
            switch piece {
            case .same(let old, let new, let count):
                add(.same(old: old + head, new: new + head, count: count), to: &pieces)
            case .removed(let range):
                add(.removed(range.lowerBound + head..<range.upperBound + head), to: &pieces)
            case .added(let range):
                add(.added(range.lowerBound + head..<range.upperBound + head), to: &pieces)
            }
        }
        add(.same(old: oldEnd, new: newEnd, count: tail), to: &pieces)
        return pieces
    }

    /// Appends a run, merging it with the last one if possible.
    private static func add(_ piece: Piece, to pieces: inout [Piece]) {
        switch (pieces.last, piece) {
        case (_, .same(_, _, 0)): return
        case (_, .removed(let range)) where range.isEmpty: return
        case (_, .added(let range)) where range.isEmpty: return
        case (.same(let old, let new, let count)?, .same(_, _, let more)):
            pieces[pieces.count - 1] = .same(old: old, new: new, count: count + more)
        case (.removed(let range)?, .removed(let more)):
            pieces[pieces.count - 1] = .removed(range.lowerBound..<more.upperBound)
        case (.added(let range)?, .added(let more)):
            pieces[pieces.count - 1] = .added(range.lowerBound..<more.upperBound)
        default: pieces.append(piece)
        }
    }
}

/// The differing middle of two lists, without the common start and end.
private struct Middle {
    let old: [Int]
    let new: [Int]

    func script(_ isCancelled: () -> Bool) -> [LineDiff.Piece]? {
        let replaced = [LineDiff.Piece.removed(0..<old.count), .added(0..<new.count)]
        guard !old.isEmpty, !new.isEmpty else { return replaced }
        let bound = min(old.count + new.count, LineDiff.differenceCountMax)
        // How far each diagonal reaches, from -bound to bound, plus one more on each side.
        var reach = [Int](repeating: 0, count: 2 * bound + 3)
        var trace: [ArraySlice<Int>] = []
        for differences in 0...bound {
            if isCancelled() { return nil }
            trace.append(reach[(bound + 1 - differences - 1)...(bound + 1 + differences + 1)])
            for diagonal in stride(from: -differences, through: differences, by: 2) {
                let index = diagonal + bound + 1
                let isDown =
                    diagonal == -differences
                    || diagonal != differences && reach[index - 1] < reach[index + 1]
                var x = isDown ? reach[index + 1] : reach[index - 1] + 1
                while x < old.count, x - diagonal < new.count, old[x] == new[x - diagonal] {
                    x += 1
                }
                reach[index] = x
                if x >= old.count, x - diagonal >= new.count { return path(trace, bound + 1) }
            }
        }
        return replaced
    }

    /// Traces the path back from the ends, and reverses it.
    private func path(_ trace: [ArraySlice<Int>], _ middle: Int) -> [LineDiff.Piece] {
        var pieces: [LineDiff.Piece] = []
        var (x, y) = (old.count, new.count)
        for (differences, reach) in trace.enumerated().reversed() {
            let diagonal = x - y
            let index = diagonal + middle
            let isDown =
                diagonal == -differences
                || diagonal != differences && reach[index - 1] < reach[index + 1]
            let former = isDown ? diagonal + 1 : diagonal - 1
            let startX = differences == 0 ? 0 : reach[former + middle]
            let startY = differences == 0 ? 0 : startX - former
            let stepX = differences == 0 || isDown ? startX : startX + 1
            if x > stepX {
                pieces.append(.same(old: stepX, new: stepX - diagonal, count: x - stepX))
            }
            if differences > 0 {
                pieces.append(isDown ? .added(startY..<startY + 1) : .removed(startX..<startX + 1))
            }
            (x, y) = (startX, startY)
        }
        return pieces.reversed()
    }
}

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
        // Compared byte by byte, as lines are: canonically equivalent texts differ.
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
