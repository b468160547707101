internal import ProxydHTTPModel

/// Narrows many filters down to those that may select a request, so that filters for other paths
/// and methods cost next to nothing: each text of the request is searched once for the texts that
/// all filters require.
package struct FilterIndex: Sendable {
    /// The texts of a request that are searched: known once its head is, and the same afterwards.
    private static let columns: [FilterTextColumn] = [.path, .url, .query, .method]
    /// A filter that needs one of more texts than this is not looked for.
    private static let alternativeCountMax = 32

    /// A text that a value must contain; ASCII letters match in either case.
    private struct Requirement {
        let column: FilterTextColumn
        let needle: [UInt8]
    }

    /// The positions of all filters, in order.
    package private(set) var all: [Int] = []
    /// Those that no text of the request rules out.
    private var unbound: [Int] = []
    private var searches: [(column: FilterTextColumn, search: PositionSearch)] = []

    /// - Parameter filters: The filters with their positions, in ascending order.
    package init(_ filters: [(position: Int, filter: Filter)]) {
        var required: [FilterTextColumn: [(needle: [UInt8], position: Int)]] = [:]
        for (position, filter) in filters {
            all.append(position)
            guard let requirements = FilterIndex.requirements(of: filter.expression) else {
                unbound.append(position)
                continue
            }
            for requirement in requirements {
                required[requirement.column, default: []].append((requirement.needle, position))
            }
        }
        for column in FilterIndex.columns {
            guard let needles = required[column] else { continue }
            searches.append((column, PositionSearch(needles)))
        }
    }

    package var isEmpty: Bool { all.isEmpty }

    /// The positions of filters that may select a request, in order; every other filter fails.
    /// - Parameter text: A text of the request, or nil if it has none.
    package func candidates(_ text: (FilterTextColumn) -> String?) -> [Int] {
        var found: Set<Int> = []
        for (column, search) in searches {
            guard let text = text(column) else { continue }
            search.forEachFound(in: text.utf8.span) { found.insert($0) }
        }
        return found.isEmpty ? unbound : (unbound + found).sorted()
    }

    /// Texts of which a request must contain one for the filter to select it; nil if there is no
    /// such condition, or none that is looked for.
    private static func requirements(of expression: FilterExpression) -> [Requirement]? {
        switch expression {
        case .everything, .not: return nil
        case .test(let test): return requirements(of: test)
        case .all(let parts): return parts.compactMap(requirements).max(by: isLooser)
        case .any(let parts):
            let alternatives = parts.map(requirements)
            guard alternatives.allSatisfy({ $0 != nil }) else { return nil }
            let joined = alternatives.compactMap { $0 }.flatMap { $0 }
            return joined.count <= alternativeCountMax ? joined : nil
        }
    }

    private static func requirements(of test: FilterTest) -> [Requirement]? {
        guard case .text(.columns(let tested), let match) = test,
            tested.allSatisfy(columns.contains), let needle = needle(of: match)
        else { return nil }
        return tested.map { Requirement(column: $0, needle: needle) }
    }

    private static func needle(of match: FilterTextMatch) -> [UInt8]? {
        let text: [UInt8]? =
            switch match {
            case .contains(let search): search.needle
            case .equals(let text): ByteSearch(text).needle
            case .regex(let regex): regex.literalPrefix.map { ByteSearch($0).needle }
            case .isHost: nil
            }
        return text?.isEmpty == false ? text : nil
    }

    /// Whether the first requirements let more requests through than the second, as far as can be
    /// guessed: a long text is rare.
    private static func isLooser(_ one: [Requirement], _ other: [Requirement]) -> Bool {
        length(of: one) < length(of: other)
    }

    private static func length(of requirements: [Requirement]) -> Int {
        requirements.lazy.map(\.needle.count).min() ?? 0
    }
}

/// Finds which of many byte strings a text contains, in one pass over it (Aho–Corasick); ASCII
/// letters match in either case. Each byte string has positions in a list.
private struct PositionSearch: Sendable {
    /// A prefix of some of the byte strings; the first state is the empty one.
    private struct State {
        /// The last byte of the prefix.
        let byte: UInt8
        /// The first state whose prefix is one byte longer, and the next one of the same length
        /// below the same state; 0 for none.
        var firstChild = 0
        var nextSibling = 0
        /// The state of the longest proper suffix.
        var suffix = 0
        /// The closest state, this one or along the suffixes, whose prefix is a byte string; 0 for
        /// none.
        var found = 0
        /// The positions of the byte string; empty if the prefix is not one.
        var positions: [Int] = []
    }

    private var states = [State(byte: 0)]
    /// The states of prefixes of one byte, by that byte.
    private var starts = Array(repeating: 0, count: 256)

    init(_ needles: [(needle: [UInt8], position: Int)]) {
        for (needle, position) in needles {
            let end = needle.reduce(0) { insert($1, below: $0) }
            states[end].positions.append(position)
        }
        link()
    }

    /// Returns the state of a prefix with one more byte, creating it if necessary.
    private mutating func insert(_ byte: UInt8, below state: Int) -> Int {
        let known = child(byte, of: state)
        guard known == 0 else { return known }
        states.append(State(byte: byte))
        let new = states.count - 1
        if state == 0 {
            starts[Int(byte)] = new
        } else {
            states[new].nextSibling = states[state].firstChild
            states[state].firstChild = new
        }
        return new
    }

    private func child(_ byte: UInt8, of state: Int) -> Int {
        if state == 0 { return starts[Int(byte)] }
        var child = states[state].firstChild
        while child != 0, states[child].byte != byte { child = states[child].nextSibling }
        return child
    }

    /// Finds the suffixes of all states, shorter prefixes first.
    private mutating func link() {
        var queue = starts.filter { $0 != 0 }
        for state in queue { noteFound(state) }
        var next = 0
        while next < queue.count {
            let state = queue[next]
            next += 1
            var child = states[state].firstChild
            while child != 0 {
                states[child].suffix = step(from: states[state].suffix, states[child].byte)
                noteFound(child)
                queue.append(child)
                child = states[child].nextSibling
            }
        }
    }

    private mutating func noteFound(_ state: Int) {
        states[state].found =
            states[state].positions.isEmpty ? states[states[state].suffix].found : state
    }

    /// The state of the longest suffix, with one more byte, that is a prefix of a byte string.
    private func step(from start: Int, _ byte: UInt8) -> Int {
        var state = start
        while true {
            let next = child(byte, of: state)
            if next != 0 || state == 0 { return next }
            state = states[state].suffix
        }
    }

    /// Calls `body` with the positions of each byte string that the text contains, perhaps several
    /// times.
    func forEachFound(in text: Span<UInt8>, _ body: (Int) -> Void) {
        var state = 0
        for index in text.indices {
            state = step(from: state, ByteSearch.lowercased(text[index]))
            var found = states[state].found
            while found != 0 {
                for position in states[found].positions { body(position) }
                found = states[states[found].suffix].found
            }
        }
    }
}
