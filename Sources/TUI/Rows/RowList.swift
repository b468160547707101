internal import ProxydFilter
internal import ProxydPresentation

/// What can be read of a list.
enum RowLoad: String, Sendable, Hashable, CaseIterable {
    /// The rows that a list starts with, those before and after the loaded ones, and changes.
    case page, before, after, refresh
}

/// A list of any length that is read page by page: the rows around the visible part, what is being
/// read, and what is known of the other rows. Its screen starts the work.
struct RowList<Row: Identifiable & Sendable>: Sendable {
    var window = RowWindow<Row>()
    /// Whether the list scrolls to new rows.
    var isFollowing: Bool
    var count = RowCount.unknown
    var unseen = UnseenRows()
    private(set) var hasRead = false
    /// Why there are no rows.
    private(set) var problem: String?
    private(set) var loads: Set<RowLoad> = []
    /// The share of the rows that was scanned, if reading takes long.
    var share: Double?
    /// Whether reading was aborted.
    var isStopped = false
    /// Whether the displayed rows are those of another filter or order.
    var isBehind = false
    /// Whether something changed while it could not be checked.
    private(set) var hasNews = false

    init(isFollowing: Bool) { self.isFollowing = isFollowing }

    var isReading: Bool { loads.contains(.page) }
    var isScanning: Bool { !loads.isDisjoint(with: [.page, .before, .after]) }

    /// Starts reading over; returns what no longer has to be read.
    mutating func begin() -> [RowLoad] {
        loads = [.page]
        share = nil
        isStopped = false
        return [.before, .after, .refresh]
    }

    /// The first rows since `begin` were read.
    mutating func show() {
        hasRead = true
        isBehind = false
        problem = nil
    }

    /// What to read because the visible part came near an end of the loaded rows.
    mutating func wanted() -> [RowLoad] {
        guard hasRead, !isStopped, !isReading else { return [] }
        var wanted: [RowLoad] = []
        if window.wantsBefore, loads.insert(.before).inserted { wanted.append(.before) }
        if window.wantsAfter, loads.insert(.after).inserted { wanted.append(.after) }
        return wanted
    }

    /// Whether to check for changes now; otherwise, they are checked after what is being read.
    mutating func beginRefresh() -> Bool {
        hasNews = isReading || !loads.insert(.refresh).inserted
        return !hasNews
    }

    mutating func end(_ load: RowLoad) {
        loads.remove(load)
        if !isScanning { share = nil }
    }

    /// Takes a failure; returns false if it is shown in place of rows.
    mutating func fail(_ load: RowLoad?, _ words: String) -> Bool {
        if let load { end(load) }
        guard hasRead || load != .page else {
            problem = words
            return false
        }
        return true
    }

    /// Aborts reading and counting; returns what was being read.
    mutating func stop() -> Set<RowLoad> {
        defer { loads = [] }
        share = nil
        if !count.isKnown { count = .atLeast(count.found) }
        return loads
    }

    /// What is being read, for the bottom line.
    var progress: StyledText? {
        if let share { return .progress("reading", share) }
        return isReading ? StyledText("reading…", .notice) : nil
    }
}

extension StyledText {
    /// The filter of a screen, for its bottom line.
    static func filter(_ filter: Filter) -> StyledText {
        StyledText(" /", Style(.accent).adding(.bold)) + StyledText(filter.text, Style(.accent))
    }

    /// How far a scan is, and how to end it: `counting 40 %, C-g cancels`.
    static func progress(_ verb: String, _ share: Double?) -> StyledText {
        let percent = share.map { "\(Int($0 * 100)) %, " } ?? ""
        return StyledText("\(verb) \(percent)C-g cancels", .notice)
    }
}

enum RowCount: Sendable, Hashable {
    case unknown
    /// The number found so far.
    case counting(Int64)
    case atLeast(Int64)
    case exactly(Int64)

    var exact: Int64? {
        if case .exactly(let count) = self { return count }
        return nil
    }

    /// Whether no count is running.
    var isKnown: Bool {
        switch self {
        case .unknown, .counting: false
        case .atLeast, .exactly: true
        }
    }

    /// `1 match`, `2 matches` or `300+ matches`; nil if nothing is known yet.
    var words: String? {
        switch self {
        case .unknown: nil
        case .exactly(1): "1 match"
        case .exactly(let number): "\(Quantity.grouped(number)) matches"
        case .counting(let number), .atLeast(let number): "\(Quantity.grouped(number))+ matches"
        }
    }

    var found: Int64 {
        switch self {
        case .unknown: 0
        case .counting(let number), .atLeast(let number), .exactly(let number): number
        }
    }
}

extension Work<RowCount> {
    static func counting(_ filter: Filter, _ slot: String = "count") -> Work {
        Work(slot, on: .counts) { context, report in
            let report = ReportPace.paced(report)
            return .exactly(try context.rows.count(filter) { report(.counting($0)) })
        }
    }
}

/// Counts the rows that arrived since the newest one was last visible.
struct UnseenRows: Sendable {
    /// The highest number and the count of rows then, or nil if they were unknown.
    private var lastID: Int64?
    private var count: Int64?

    mutating func see(lastID: Int64?, count: Int64?) {
        self.lastID = lastID
        self.count = count
    }

    /// Another filter's rows are counted from now on.
    mutating func forgetCount() { count = nil }

    /// Marks values that were unknown then as seen now.
    mutating func learn(lastID: Int64?, count: Int64?) {
        if self.lastID == nil { self.lastID = lastID }
        if self.count == nil { self.count = count }
    }

    /// In a local store numbers are consecutive; otherwise, and with a filter, rows are counted.
    func newCount(lastID: Int64?, count: Int64?, isCounted: Bool) -> Int64 {
        let (now, then) = isCounted ? (count, self.count) : (lastID, self.lastID)
        guard let now, let then else { return 0 }
        return max(0, now.subtractingReportingOverflow(then).partialValue)
    }
}

/// Decides when a slow count is repeated because the store changed: soon after, but not so often
/// that it keeps a processor busy.
struct RecountPace: Sendable {
    /// The minimum time between two counts in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000
    /// The minimum pause after a count, as a multiple of its duration.
    private static let share: Int64 = 10

    private var since: Int64 = 0
    private var nextAt: Int64 = 0

    mutating func begin(_ now: Int64) { since = now }

    mutating func end(_ now: Int64) {
        let took = max(0, now &- since)
        nextAt = now &+ max(RecountPace.pauseNs, RecountPace.share &* took)
    }

    /// Whether a check for changes is due; the next one is due some time later.
    mutating func isDue(_ now: Int64) -> Bool {
        guard now >= nextAt else { return false }
        nextAt = now &+ RecountPace.pauseNs
        return true
    }
}
