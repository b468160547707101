/// Maps old numbers to new ones, stored as runs: a million consecutive exchanges take one run.
struct NumberMap {
    private struct Run {
        let old: Int64
        let new: Int64
        var count: Int64

        /// The offset of a number in the run; the number must not be below its first.
        func place(of number: Int64) -> Int64 {
            let (place, isFar) = number.subtractingReportingOverflow(old)
            return isFar ? .max : place
        }
    }

    /// The runs, ascending by old number.
    private var runs: [Run] = []

    /// Adds the new number of an old one. If an old number is added again, the latest new number is
    /// used.
    mutating func add(_ old: Int64, _ new: Int64) {
        let index = index(behind: old)
        if index > 0 {
            let run = runs[index - 1]
            let place = run.place(of: old)
            if place == run.count, new &- run.new == place {
                runs[index - 1].count += 1
                return
            }
            if place < run.count { return split(index - 1, old, new) }
        }
        runs.insert(Run(old: old, new: new, count: 1), at: index)
    }

    subscript(old: Int64) -> Int64? {
        let index = index(behind: old)
        guard index > 0 else { return nil }
        let run = runs[index - 1]
        let place = run.place(of: old)
        return place < run.count ? run.new &+ place : nil
    }

    /// Inserts another number in the middle of a run.
    private mutating func split(_ index: Int, _ old: Int64, _ new: Int64) {
        let run = runs[index]
        let place = run.place(of: old)
        var parts: [Run] = []
        if place > 0 { parts.append(Run(old: run.old, new: run.new, count: place)) }
        parts.append(Run(old: old, new: new, count: 1))
        if place + 1 < run.count {
            parts.append(
                Run(old: old &+ 1, new: run.new &+ place &+ 1, count: run.count - place - 1))
        }
        runs.replaceSubrange(index...index, with: parts)
    }

    /// The index of the first run that starts after a number.
    private func index(behind old: Int64) -> Int {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].old <= old { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
