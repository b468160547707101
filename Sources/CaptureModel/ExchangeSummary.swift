public import ProxydHTTPModel

/// Statistics of many exchanges.
public struct ExchangeSummary: Sendable, Hashable {
    /// The maximum number of different hosts and methods; see `Branches.nameCountMax`.
    public static let nameCountMax = 20_000
    /// How many of the slowest exchanges are listed.
    public static let slowestCountMax = 20

    /// An exchange and its duration.
    public struct Slow: Sendable, Hashable {
        /// The exchange number.
        public let id: ExchangeID
        /// The duration in nanoseconds.
        public let durationNs: Int64
    }

    /// The totals of all exchanges.
    public private(set) var all = BranchTotals()
    /// The start time of the oldest exchange in nanoseconds since 1970; 0 if there is none.
    public private(set) var firstStartedAtNs: Int64 = 0
    /// The number of exchanges by status; the key is nil for exchanges without a response.
    public private(set) var statuses: [Int?: Int64] = [:]
    /// The number of exchanges by method; the key is nil if the request could not be parsed.
    public private(set) var methods: [String?: Int64] = [:]
    /// Totals by host; the key is nil if the request could not be parsed.
    public private(set) var hosts: [String?: BranchTotals] = [:]
    /// The number of exchanges whose methods or hosts are beyond the maximum.
    public private(set) var otherCount: Int64 = 0
    /// Response body sizes of ended exchanges in bytes.
    public private(set) var sizes = ValueHistogram()
    /// Durations of ended exchanges in nanoseconds.
    public private(set) var durations = ValueHistogram()
    /// The slowest exchanges, slowest first.
    public private(set) var slowest: [Slow] = []

    /// Creates an empty summary, before any exchange has been counted.
    public init() {}

    /// Adds exchanges with the same method, host and status.
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

    /// Adds the duration and the response size of an exchange.
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
