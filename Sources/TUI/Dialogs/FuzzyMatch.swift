/// How well typed letters match a name: all of them in order, with few other letters in between.
enum FuzzyMatch {
    /// The distance (lower is better), or nil if the name does not match.
    static func distance(_ typed: String, _ name: String) -> Int? {
        let wanted = Array(typed.lowercased().filter { $0 != " " })
        let letters = Array(name.lowercased())
        guard !wanted.isEmpty else { return 0 }
        var position = 0
        var distance = 0
        var last: Int?
        for letter in wanted {
            guard let found = letters[position...].firstIndex(of: letter) else { return nil }
            distance += last.map { found - $0 - 1 } ?? found
            last = found
            position = found + 1
        }
        return distance * 4 + letters.count / 8
    }
}
