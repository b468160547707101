public import ProxydHTTPModel

/// What can be said of many exchanges at once.
public struct ExchangeSummary: Sendable, Hashable {
    /// Different hosts and methods that are kept apart at most; see `Branches.nameCountMax`.
    public static let nameCountMax = 20_000
    /// The slowest exchanges that are kept.
    public static let slowestCountMax = 20

    /// An exchange and how long it took.
    public struct Slow: Sendable, Hashable {
        /// Its number.
        public let id: ExchangeID
        /// Nanoseconds.
        public let durationNs: Int64
    }

    /// Totals of all of them.
    public private(set) var all = BranchTotals()
    /// When the oldest began, nanoseconds since 1970; 0 where there is none.
    public private(set) var firstStartedAtNs: Int64 = 0
    /// By status; nil where there was none.
    public private(set) var statuses: [Int?: Int64] = [:]
    /// By method; nil where none could be read.
    public private(set) var methods: [String?: Int64] = [:]
    /// Totals by host; nil where none could be read.
    public private(set) var hosts: [String?: BranchTotals] = [:]
    /// Exchanges with methods and hosts beyond those that are kept.
    public private(set) var otherCount: Int64 = 0
    /// Response body octets of those that are over.
    public private(set) var sizes = ValueHistogram()
    /// Durations in nanoseconds of those that are over.
    public private(set) var durations = ValueHistogram()
    /// Those that took longest, the longest first.
    public private(set) var slowest: [Slow] = []

    /// Nothing was looked at yet.
    public init() {}

    /// Adds exchanges that are alike.
    package mutating func add(
        _ totals: BranchTotals, firstStartedAtNs: Int64, status: Int?, method: String?,
        host: String?
    ) {
        self.firstStartedAtNs =
            all.count == 0 ? firstStartedAtNs : min(self.firstStartedAtNs, firstStartedAtNs)
        all += totals
        statuses[status, default: 0] &+= totals.count
        let hasRoom =
            (hosts[host] != nil || hosts.count < ExchangeSummary.nameCountMax)
            && (methods[method] != nil || methods.count < ExchangeSummary.nameCountMax)
        guard hasRoom else {
            otherCount &+= totals.count
            return
        }
        methods[method, default: 0] &+= totals.count
        hosts[host, default: BranchTotals()] += totals
    }

    /// Adds how long one took and how large its answer was.
    package mutating func add(_ id: ExchangeID, durationNs: Int64?, responseByteCount: Int64) {
        guard let durationNs else { return }
        durations.add(durationNs)
        sizes.add(responseByteCount)
        if slowest.count == ExchangeSummary.slowestCountMax, let last = slowest.last,
            last.durationNs >= durationNs
        {
            return
        }
        let place = slowest.firstIndex { $0.durationNs < durationNs } ?? slowest.count
        slowest.insert(Slow(id: id, durationNs: durationNs), at: place)
        if slowest.count > ExchangeSummary.slowestCountMax { slowest.removeLast() }
    }

    /// Adds a row of the store.
    public mutating func add(_ row: ExchangeRow) {
        add(
            BranchTotals(row), firstStartedAtNs: row.startedAtNs, status: row.status,
            method: row.method, host: row.host)
        add(row.id, durationNs: row.durationNs, responseByteCount: row.responseBodyByteCount)
    }
}
