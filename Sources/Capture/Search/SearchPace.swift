/// Decides when the search files get their next step. Indexing text costs more than all other
/// recording: during traffic it gets a small share of a processor, and hardly any if there is more
/// traffic than it could keep up with. All times are on the monotonic clock, in nanoseconds.
struct SearchPace {
    /// How long a step takes; a commit may add to it. Short, so that the load on the processor is
    /// even.
    static let stepNs: Int64 = 1_000_000
    /// There is traffic if something was recorded within this time. A pause between two pages does
    /// not end it, because the user wants the processor for the next page. It is also the maximum
    /// rest, because a single step may have been long.
    static let quietNs: Int64 = 10_000_000_000
    /// Above this many exchanges a second, indexing does not try to keep up with traffic.
    static let followedCountMax: Int64 = 500

    /// The rest after a step as a multiple of its duration: a thirtieth of a processor, enough for
    /// about a hundred exchanges a second.
    private static let restFactor: Int64 = 29
    /// The same if there is too much traffic to keep up with: a three-hundredth of a processor.
    private static let longRestFactor: Int64 = 299
    /// The minimum time over which exchanges are counted, because they arrive in bursts.
    private static let countedNs: Int64 = 1_000_000_000

    private var isFollowed = true
    private var countedSince: Int64?
    private var countedFrom: Int64 = 0

    /// When the next step may start, after a step from `start` to `end`. `exchangeID` is the last
    /// exchange at `end`, and `recorded` the time when something was last recorded.
    mutating func next(
        start: Int64, end: Int64, exchangeID: Int64, recorded: Int64
    ) -> Int64 {
        count(exchangeID, at: end)
        guard start &- recorded < SearchPace.quietNs else { return end }
        let factor = isFollowed ? SearchPace.restFactor : SearchPace.longRestFactor
        return end &+ min(factor &* (end &- start), SearchPace.quietNs)
    }

    private mutating func count(_ exchangeID: Int64, at now: Int64) {
        if let countedSince {
            let elapsedNs = now &- countedSince
            guard elapsedNs >= SearchPace.countedNs else { return }
            let countMax = Double(SearchPace.followedCountMax) * Double(elapsedNs) / 1e9
            isFollowed = Double(exchangeID &- countedFrom) <= countMax
        }
        countedSince = now
        countedFrom = exchangeID
    }
}
