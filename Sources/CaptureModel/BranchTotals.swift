internal import ProxydHTTPModel

/// What lies below a place of the tree, added up.
public struct BranchTotals: Sendable, Hashable {
    /// Exchanges.
    public var count: Int64 = 0
    /// Those that failed or were answered with 400 and above.
    public var errorCount: Int64 = 0
    /// Body octets of requests and responses.
    public var byteCount: Int64 = 0
    /// When the newest began, nanoseconds since 1970.
    public var lastStartedAtNs: Int64 = 0

    /// Nothing.
    public init() {}

    /// The totals of one exchange.
    public init(_ row: ExchangeRow) {
        count = 1
        errorCount = row.state == .failed || (row.status ?? 0) >= 400 ? 1 : 0
        byteCount = row.requestBodyByteCount.addingClamped(row.responseBodyByteCount)
        lastStartedAtNs = row.startedAtNs
    }

    /// Adds those of another part.
    public static func += (left: inout BranchTotals, right: BranchTotals) {
        left.count &+= right.count
        left.errorCount &+= right.errorCount
        left.byteCount = left.byteCount.addingClamped(right.byteCount)
        left.lastStartedAtNs = max(left.lastStartedAtNs, right.lastStartedAtNs)
    }
}
