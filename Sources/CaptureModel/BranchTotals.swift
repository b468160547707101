internal import ProxydHTTPModel

/// Totals of the exchanges below a place in the tree of servers and paths.
public struct BranchTotals: Sendable, Hashable {
    /// The number of exchanges.
    public var count: Int64 = 0
    /// The number of exchanges that failed or had a status of 400 or higher.
    public var errorCount: Int64 = 0
    /// The size of request and response bodies in bytes.
    public var byteCount: Int64 = 0
    /// The start time of the newest exchange, in nanoseconds since 1970.
    public var lastStartedAtNs: Int64 = 0

    /// Creates totals of no exchanges.
    public init() {}

    /// Creates the totals of one exchange.
    public init(_ row: ExchangeRow) {
        count = 1
        errorCount = row.state == .failed || (row.status ?? 0) >= 400 ? 1 : 0
        byteCount = row.requestBodyByteCount.addingClamped(row.responseBodyByteCount)
        lastStartedAtNs = row.startedAtNs
    }

    /// Adds the totals of other exchanges.
    public static func += (left: inout BranchTotals, right: BranchTotals) {
        left.count &+= right.count
        left.errorCount &+= right.errorCount
        left.byteCount = left.byteCount.addingClamped(right.byteCount)
        left.lastStartedAtNs = max(left.lastStartedAtNs, right.lastStartedAtNs)
    }
}
