internal import FoundationEssentials

/// The names of the search files beside a store.
struct SearchFiles: Sendable {
    /// Files with other numbers do not belong to this program.
    static let numbersAllowed = 1...(1 << 40)

    private let directory: String
    private let prefix: String

    init(besideStore path: String) {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        let slash = stem.lastIndex(of: "/")
        directory = slash.map { String(stem[..<$0]) } ?? "."
        prefix = (slash.map { String(stem[stem.index(after: $0)...]) } ?? stem) + "-search-"
    }

    /// The numbers of the existing files, ascending.
    var numbers: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(names.compactMap(number)).sorted()
    }

    func path(_ number: Int) -> String { "\(directory)/\(prefix)\(number).sqlite" }

    /// Deletes all files; `closing` closes the open ones.
    func removeAll(closing: () -> Void = {}) {
        IndexFile.remove(numbers.map(path), closing: closing)
    }

    /// The number of a file. Logs without their database count too, so that they are removed.
    private func number(_ name: String) -> Int? {
        guard name.hasPrefix(prefix), let dot = name.firstIndex(of: "."),
            name[dot...].hasPrefix(".sqlite")
        else { return nil }
        let digits = name[..<dot].dropFirst(prefix.count)
        return Int(digits).flatMap {
            SearchFiles.numbersAllowed.contains($0) && String($0) == digits ? $0 : nil
        }
    }
}
