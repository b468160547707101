/// How to go through the store for one filter: ranges of exchange numbers, some of them covered by
/// a search file.
struct SearchPlan {
    /// A range of numbers to go through; all of them are scanned if no file covers it or helps.
    struct Section {
        let lowest: Int64
        let highest: Int64
        let file: SearchFile?

        /// The numbers in the range that may match, ascending, or nil if all must be scanned.
        func candidates(_ probes: [SearchProbe]) -> [Int64]? {
            guard let ids = try? file?.candidates(probes) else { return nil }
            return ids.filter { lowest <= $0 && $0 <= highest }
        }
    }

    /// The sections of a range, ascending and without gaps.
    static func sections(
        lowest: Int64, highest: Int64, storePath: String, _ store: SQLiteConnection
    ) -> [Section] {
        let files = SearchFiles(besideStore: storePath)
        let opened = files.numbers.compactMap { number -> SearchFile? in
            // The file is damaged, of another store or was just deleted: the store is scanned.
            guard let file = try? SearchFile(number, path: files.path(number)),
                (try? file.extent.belongs(to: store)) == true
            else { return nil }
            return file
        }
        var sections: [Section] = []
        var next = lowest
        for file in opened.sorted(by: { $0.extent.firstID < $1.extent.firstID }) {
            let first = max(next, file.extent.firstID)
            let last = min(highest, file.extent.throughID)
            guard first <= last else { continue }
            if next < first {
                sections.append(Section(lowest: next, highest: first - 1, file: nil))
            }
            sections.append(Section(lowest: first, highest: last, file: file))
            next = last + 1
        }
        if next <= highest { sections.append(Section(lowest: next, highest: highest, file: nil)) }
        return sections
    }
}
