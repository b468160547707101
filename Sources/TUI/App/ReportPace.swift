/// Lets only a few of many reports through, so that a screen is not kept busy by reports.
struct ReportPace {
    private static let pause = Duration.milliseconds(100)

    private var next: ContinuousClock.Instant?

    /// Whether the next report is due.
    mutating func isDue() -> Bool {
        let now = ContinuousClock.now
        if let next, now < next { return false }
        next = now + ReportPace.pause
        return true
    }
}
