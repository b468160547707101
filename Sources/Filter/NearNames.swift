/// Suggests names for a mistyped one.
public enum NearNames {
    /// Up to three candidates that start alike, or else those with the smallest edit distance (at
    /// most two).
    public static func of(_ name: String, among candidates: [String]) -> [String] {
        guard (1...32).contains(name.utf8.count) else { return [] }
        let scored = candidates.compactMap { candidate -> (score: Int, name: String)? in
            let isPrefix = name.utf8.count >= 2 && candidate.hasPrefix(name)
            let score = isPrefix ? 0 : distance(Array(name.utf8), Array(candidate.utf8))
            return score <= min(2, name.utf8.count / 2) ? (score, candidate) : nil
        }
        let best = scored.map(\.score).min()
        return scored.filter { $0.score == best }.map(\.name).sorted().prefix(3).map { $0 }
    }

    /// The most similar of some texts; of several, the most frequent one. Only the first
    /// 200 bytes of each are compared.
    package static func nearest(to text: String, among counts: [String: Int]) -> String? {
        let sought = Array(text.utf8.prefix(200))
        return counts.min { left, right in
            let (one, other) = (
                distance(sought, Array(left.key.utf8.prefix(200))),
                distance(sought, Array(right.key.utf8.prefix(200)))
            )
            return (one, -left.value, left.key) < (other, -right.value, right.key)
        }?.key
    }

    /// The number of edits between two names (insert, delete, replace, swap neighbours).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var earlier: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (letter == other ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, earlier[column - 1] + 1)
                }
                current.append(best)
            }
            earlier = previous
            previous = current
        }
        return previous.last ?? 0
    }
}
