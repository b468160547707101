internal import ProxydHTTPModel

/// What a peer may do that helps no one before its connection ends.
///
/// Each such frame takes a token: empty DATA, PRIORITY, PING, SETTINGS, a small WINDOW_UPDATE, a
/// reset before an answer, frames that are not known. Time, completed streams and carried data
/// give them back, so that a busy connection may do more of it than an idle one.
struct FloodBudget: Sendable {
    /// Tokens at the beginning, and at most.
    static let tokenCountMax = 200
    private static let nsPerToken: Int64 = 30_000_000
    private static let byteCountPerToken = 1_024

    private var tokenCount = FloodBudget.tokenCountMax
    /// Up to when time has given tokens back; monotonic nanoseconds.
    private var refilledAt: Int64?
    /// Bytes carried that have given nothing back yet.
    private var byteCount = 0

    /// Takes a token; throws where none is left.
    mutating func spend(now: Int64) throws(HTTP2Error) {
        if tokenCount == 0 { refill(now: now) }
        guard tokenCount > 0 else {
            throw HTTP2Error(.enhanceYourCalm, "too many frames that carry nothing")
        }
        if tokenCount == FloodBudget.tokenCountMax { refilledAt = now }
        tokenCount &-= 1
    }

    /// A stream ended in good order, both ways.
    mutating func exchangeEnded() { give(1) }

    /// Bytes of bodies were carried, whichever way.
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
