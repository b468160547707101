internal import ProxydPresentation
internal import ProxydRules

/// Compares entries with those of a golden file.
package struct GoldenComparison {
    /// A difference, with the index of the entry that has it; nil if the entry is missing.
    package struct Difference {
        package let index: Int?
        /// One line for people.
        package let message: String
        /// The compared lines, with their signs.
        package let lines: [String]
    }

    package private(set) var differences: [Difference] = []
    private let found: [GoldenEntry]
    private let wanted: [GoldenEntry]

    package init(
        _ found: [GoldenEntry], to wanted: [GoldenEntry], _ match: GoldenExpectation.Match
    ) {
        self.found = found
        self.wanted = wanted
        switch match {
        case .order: compareInOrder()
        case .key: compareByKey()
        }
    }

    private mutating func compareInOrder() {
        var numbers: [String: Int] = [:]
        func number(_ entry: GoldenEntry) -> Int {
            let next = numbers.count
            return numbers[entry.title]
                ?? {
                    numbers[entry.title] = next; return next
                }()
        }
        let (old, new) = (wanted.map(number), found.map(number))
        for piece in LineDiff.pieces(old, new) ?? [] {
            switch piece {
            case .same(let old, let new, let count):
                for offset in 0..<count { compare(new + offset, to: wanted[old + offset]) }
            case .removed(let range): for index in range { miss(wanted[index]) }
            case .added(let range): for index in range { add(index) }
            }
        }
    }

    private mutating func compareByKey() {
        var waiting: [MockKey: [Int]] = [:]
        for (index, entry) in found.enumerated() { waiting[entry.key, default: []].append(index) }
        for entry in wanted {
            let key = entry.key
            guard let index = waiting[key]?.first else {
                miss(entry)
                continue
            }
            waiting[key]?.removeFirst()
            compare(index, to: entry)
        }
        for index in waiting.values.flatMap({ $0 }).sorted() { add(index) }
    }

    private mutating func compare(_ index: Int, to entry: GoldenEntry) {
        guard !found[index].equals(entry) else { return }
        let lines = try? DiffSection.compare(entry.lines, found[index].lines) { false }
        let section = DiffSection("", lines ?? [])
        differences.append(
            Difference(
                index: index, message: "\(found[index].title) differs",
                lines: section.shortened.map { "\($0.sign) \($0.text.text)" }))
    }

    private mutating func miss(_ entry: GoldenEntry) {
        differences.append(
            Difference(index: nil, message: "\(entry.title) is missing", lines: []))
    }

    private mutating func add(_ index: Int) {
        differences.append(
            Difference(
                index: index, message: "\(found[index].title) is not in the file", lines: []))
    }
}
