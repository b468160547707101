internal import ProxydHTTPModel

/// Limits how much useless work a peer may cause before its connection is ended.
///
/// Each of these frames costs a token: empty DATA, PRIORITY, PING, SETTINGS, a small WINDOW_UPDATE,
/// a reset before the response, and frames of unknown types. Time, completed streams and
/// transferred data return tokens, so a busy connection may send more of them than an idle one.
struct FloodBudget: Sendable {
    /// The number of tokens at the start, which is also the maximum.
    static let tokenCountMax = 200
    private static let nsPerToken: Int64 = 30_000_000
    private static let byteCountPerToken = 1_024

    private var tokenCount = FloodBudget.tokenCountMax
    /// The monotonic time, in nanoseconds, up to which elapsed time has returned tokens.
    private var refilledAt: Int64?
    /// The number of bytes transferred that have not returned a token yet.
    private var byteCount = 0

    /// Takes a token, or throws if none is left.
    mutating func spend(now: Int64) throws(HTTP2Error) {
        if tokenCount == 0 { refill(now: now) }
        guard tokenCount > 0 else {
            throw HTTP2Error(.enhanceYourCalm, "too many frames that carry nothing")
        }
        if tokenCount == FloodBudget.tokenCountMax { refilledAt = now }
        tokenCount &-= 1
    }

    /// Returns a token for a stream that ended normally in both directions.
    mutating func exchangeEnded() { give(1) }

    /// Returns tokens for body bytes transferred in either direction.
    mutating func carried(_ count: Int) {
        guard tokenCount < FloodBudget.tokenCountMax else { return }
        byteCount = min(byteCount &+ count, FloodBudget.tokenCountMax << 10)
        give(byteCount / FloodBudget.byteCountPerToken)
        byteCount %= FloodBudget.byteCountPerToken
    }

    private mutating func refill(now: Int64) {
        guard let since = refilledAt, now > since else { return }
        let count = (now &- since) / FloodBudget.nsPerToken
        refilledAt = since &+ count &* FloodBudget.nsPerToken
        give(Int(clamping: count))
    }

    private mutating func give(_ count: Int) {
        tokenCount = min(FloodBudget.tokenCountMax, tokenCount &+ min(count, 1 << 20))
    }
}
