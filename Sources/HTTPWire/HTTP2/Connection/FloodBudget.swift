internal import ProxydHTTPModel

/// Limits how much useless work a peer may cause before its connection is ended.
///
/// Each of these frames costs a token: empty DATA, PRIORITY, PING, SETTINGS, a small WINDOW_UPDATE,
/// a reset soon after a request, and frames of unknown types. Time, completed streams and
/// transferred data return tokens, so a busy connection may send more of them than an idle one.
///
/// The acknowledgements of ordinary traffic are free. A receiver may return every part of a DATA
/// frame in a WINDOW_UPDATE of the stream and in one of the connection (RFC 9113 §6.9), and
/// libraries do so for each message, or each read of a part of one; others measure the path with a
/// PING for each DATA frame.
struct FloodBudget: Sendable {
    /// The number of tokens at the start, which is also the maximum.
    static let tokenCountMax = 200
    private static let nsPerToken: Int64 = 30_000_000
    private static let byteCountPerToken = 1_024
    /// A WINDOW_UPDATE of at least this many bytes is free on an open stream.
    private static let usefulUpdateByteCount = 1_024
    /// DATA of two bytes allows one more small update, besides the two for its frame.
    private static let byteCountPerUpdate = 2
    /// The maximum of `freeUpdateCount`: the updates for what is on its way to a slow reader.
    private static let freeUpdateCountMax = 1 << 16
    /// The maximum of `freePingCount`: a peer waits for the answer before it measures again.
    private static let freePingCountMax = 100

    private var tokenCount = FloodBudget.tokenCountMax
    /// The monotonic time, in nanoseconds, up to which elapsed time has returned tokens.
    private var refilledAt: Int64?
    /// The number of bytes transferred that have not returned a token yet.
    private var byteCount = 0
    /// How many small WINDOW_UPDATE frames are free.
    private var freeUpdateCount = 0
    private var freePingCount = 0

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

    /// Counts a stream that either side has opened: the peer may announce room for the start of its
    /// first message.
    mutating func streamOpened() { allowUpdates(1) }

    /// Counts body bytes sent in one DATA frame.
    mutating func sent(_ count: Int) {
        allowUpdates(2 &+ count / FloodBudget.byteCountPerUpdate)
        transferred(count)
    }

    mutating func received(_ count: Int) {
        if count > 0 { transferred(count) }
    }

    /// Handles a WINDOW_UPDATE. A large one is free on an open stream, and any other as long as the
    /// DATA sent allows it; then it costs a token.
    mutating func takeUpdate(_ count: Int, streamIsOpen: Bool, now: Int64) throws(HTTP2Error) {
        if streamIsOpen, count >= FloodBudget.usefulUpdateByteCount { return }
        if freeUpdateCount > 0 { freeUpdateCount &-= 1 } else { try spend(now: now) }
    }

    /// Handles a PING. Each DATA frame makes one free; any other costs a token.
    mutating func takePing(now: Int64) throws(HTTP2Error) {
        if freePingCount > 0 { freePingCount &-= 1 } else { try spend(now: now) }
    }

    private mutating func allowUpdates(_ count: Int) {
        freeUpdateCount = min(FloodBudget.freeUpdateCountMax, freeUpdateCount &+ count)
    }

    private mutating func transferred(_ count: Int) {
        freePingCount = min(FloodBudget.freePingCountMax, freePingCount &+ 1)
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
