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
    /// The number of exchanges by the media type of the response, in lower case and without
    /// parameters; the key is nil for responses without a type. Types beyond the maximum number of
    /// names are not counted.
    public private(set) var types: [String?: Int64] = [:]
    /// When exchanges started.
    public private(set) var times = TimeHistogram()
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

    /// What is measured of one exchange.
    package struct Measure {
        package var id: ExchangeID
        /// The duration in nanoseconds, or nil if the exchange has not ended.
        package var durationNs: Int64?
        package var responseByteCount: Int64
        /// The Content-Type of the response, or nil if it has none.
        package var responseType: String?
        /// The start time in nanoseconds since 1970.
        package var startedAtNs: Int64
        /// Whether the exchange failed or had a status of 400 or higher.
        package var isError: Bool

        package init(
            id: ExchangeID, durationNs: Int64?, responseByteCount: Int64, responseType: String?,
            startedAtNs: Int64, isError: Bool
        ) {
            self.id = id
            self.durationNs = durationNs
            self.responseByteCount = responseByteCount
            self.responseType = responseType
            self.startedAtNs = startedAtNs
            self.isError = isError
        }
    }

    /// Adds what is measured of an exchange.
    package mutating func add(_ measure: Measure) {
        times.add(startedAtNs: measure.startedAtNs, isError: measure.isError)
        let type = measure.responseType.map(ExchangeSummary.mediaType)
        if types[type] != nil || types.count < ExchangeSummary.nameCountMax {
            types[type, default: 0] &+= 1
        }
        add(
            measure.id, durationNs: measure.durationNs,
            responseByteCount: measure.responseByteCount)
    }

    /// The type without its parameters, in lower case.
    private static func mediaType(_ field: String) -> String {
        let type = field.prefix { $0 != ";" }.drop { $0 == " " || $0 == "\t" }
        return type.prefix { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Adds the duration and the response size of an exchange that ended.
    private mutating func add(_ id: ExchangeID, durationNs: Int64?, responseByteCount: Int64) {
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
        let totals = BranchTotals(row)
        add(
            totals, firstStartedAtNs: row.startedAtNs, status: row.status, method: row.method,
            host: row.host)
        add(
            Measure(
                id: row.id, durationNs: row.durationNs,
                responseByteCount: row.responseBodyByteCount,
                responseType: row.responseContentType, startedAtNs: row.startedAtNs,
                isError: totals.errorCount > 0))
    }
}
