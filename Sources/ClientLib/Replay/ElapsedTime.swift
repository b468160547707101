/// Measures time from a beginning, with any clock.
struct ElapsedTime: Sendable {
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    /// Begins now.
    init(_ clock: any Clock<Duration>) { sleepUntil = ElapsedTime.sleeper(clock) }

    /// Sleeps until so much time has passed since the beginning.
    func sleep(until elapsed: Duration) async throws { try await sleepUntil(elapsed) }

    private static func sleeper<C: Clock>(
        _ clock: C
    ) -> @Sendable (Duration) async throws -> Void where C.Duration == Duration {
        let start = clock.now
        return { elapsed in
            try await clock.sleep(until: start.advanced(by: elapsed), tolerance: nil)
        }
    }
}
