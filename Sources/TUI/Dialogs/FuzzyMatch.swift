/// How well typed letters fit a name: all of them in their order, with little between.
enum FuzzyMatch {
    /// Lower is better; nil where it does not fit.
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
