import ProxydPresentation
import Testing

@Suite struct `Line differences` {
    /// Makes the new list of the old one by what the pieces say.
    private func applied(_ pieces: [LineDiff.Piece], _ old: [Int], _ new: [Int]) -> [Int]? {
        var (result, x, y): ([Int], Int, Int) = ([], 0, 0)
        for piece in pieces {
            switch piece {
            case .same(let start, let other, let count):
                guard start == x, other == y, old[x..<x + count] == new[y..<y + count] else {
                    return nil
                }
                result += old[x..<x + count]
                (x, y) = (x + count, y + count)
            case .removed(let range):
                guard range.lowerBound == x else { return nil }
                x = range.upperBound
            case .added(let range):
                guard range.lowerBound == y else { return nil }
                result += new[range]
                y = range.upperBound
            }
        }
        return x == old.count && y == new.count ? result : nil
    }

    /// How many elements two lists have in common in order, by looking at all pairs.
    private func commonCount(_ old: [Int], _ new: [Int]) -> Int {
        var row = [Int](repeating: 0, count: new.count + 1)
        for element in old {
            var diagonal = 0
            for (index, other) in new.enumerated() {
                let above = row[index + 1]
                row[index + 1] = element == other ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[new.count]
    }

    @Test func `a diff transforms any list into any other with the fewest differences`() {
        var generator = Numbers(seed: 5)
        for _ in 0..<600 {
            let old = (0..<generator.below(14)).map { _ in generator.below(4) }
            let new = (0..<generator.below(14)).map { _ in generator.below(4) }
            let pieces = LineDiff.pieces(old, new) ?? []
            #expect(applied(pieces, old, new) == new, "\(old) \(new)")
            let same = pieces.reduce(0) { sum, piece in
                if case .same(_, _, let count) = piece { sum + count } else { sum }
            }
            #expect(same == commonCount(old, new), "\(old) \(new)")
        }
    }

    @Test
    func `a diff with too many differences replaces all between the common prefix and suffix`() {
        let old = Array(0..<60_000)
        let new = [0] + (1..<59_999).map { -$0 } + [59_999]
        let pieces = LineDiff.pieces(old, new) ?? []
        #expect(
            pieces == [
                .same(old: 0, new: 0, count: 1), .removed(1..<59_999), .added(1..<59_999),
                .same(old: 59_999, new: 59_999, count: 1),
            ])
        #expect(applied(pieces, old, new) == new)
    }

    @Test func `a cancelled list diff returns no result`() {
        #expect(LineDiff.pieces([1, 2], [3, 4], isCancelled: { true }) == nil)
    }

    /// The same numbers in every run.
    private struct Numbers {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: state >> 33) % bound
        }
    }
}
