/// Finds the name that was probably meant by an unknown one.
public enum NearMiss {
    /// The candidate with the smallest edit distance, if that is 1 or at most a third of the name's
    /// length.
    public static func of(_ name: String, among candidates: [String]) -> String? {
        let length = name.count
        let distanceMax = max(1, length / 3)
        let best = candidates.filter { abs($0.count - length) <= distanceMax }
            .map { (name: $0, distance: distance(name, $0)) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= distanceMax else { return nil }
        return best.name
    }

    /// `; did you mean NAME?`, or nothing.
    public static func hint(for name: String, among candidates: [String]) -> String {
        of(name, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }

    /// The number of letters to insert, remove, replace or exchange with a neighbour.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rowBefore: [Int] = []
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                let replaced = row[column] + (letter == other ? 0 : 1)
                var least = min(replaced, min(row[column + 1], next[column]) + 1)
                if index > 0, column > 0, letter == right[column - 1], other == left[index - 1] {
                    least = min(least, rowBefore[column - 1] + 1)
                }
                next.append(least)
            }
            (rowBefore, row) = (row, next)
        }
        return row[right.count]
    }
}
