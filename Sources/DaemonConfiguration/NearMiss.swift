/// Finds what somebody may have meant by a name that does not exist.
enum NearMiss {
    /// The candidate with the fewest letters to change, where that is a third of them at most.
    static func of(_ name: String, among candidates: [String]) -> String? {
        let best = candidates.map { (name: $0, distance: distance(name, $0)) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, name.count / 3) else { return nil }
        return best.name
    }

    /// How many letters must be inserted, removed or replaced.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, min(diagonal, row[column]) + 1)
            }
        }
        return row[right.count]
    }
}
