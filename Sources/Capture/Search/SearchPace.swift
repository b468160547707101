/// When the search files get their next step. Text costs more than all other recording: while
/// there is traffic it gets a small share of a processor, and hardly any while there is more than
/// it could follow. All moments are of the monotonic clock, in nanoseconds.
struct SearchPace {
    /// How long a step takes; a commit may take some more. Short, so that the share of a processor
    /// is taken evenly.
    static let stepNs: Int64 = 1_000_000
    /// Traffic is what was recorded so recently: a pause between two pages is no end of it, and
    /// whoever reads on wants the processor. No rest is longer: one step may have been long.
    static let quietNs: Int64 = 10_000_000_000
    /// More exchanges a second than this are not followed while they come.
    static let followedCountMax: Int64 = 500

    /// How much longer than a step they rest after it: a thirtieth of a processor, which keeps up
    /// with some hundred exchanges a second.
    private static let restFactor: Int64 = 29
    /// The same while there is more than they could follow: a three hundredth.
    private static let longRestFactor: Int64 = 299
    /// How long exchanges are counted, at least: they come in bursts.
    private static let countedNs: Int64 = 1_000_000_000

    private var isFollowed = true
    private var countedSince: Int64?
    private var countedFrom: Int64 = 0

    /// When the next step may begin, after one from `start` to `end`, `exchangeID` being the last
    /// exchange then, and `recorded` when something was recorded last.
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
