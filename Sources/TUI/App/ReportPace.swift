/// Lets through a few of many reports: a screen that is told of every step does nothing else.
struct ReportPace {
    private static let pause = Duration.milliseconds(100)

    private var next: ContinuousClock.Instant?

    /// Whether it is time to tell again.
    mutating func isDue() -> Bool {
        let now = ContinuousClock.now
        if let next, now < next { return false }
        next = now + ReportPace.pause
        return true
    }
}
