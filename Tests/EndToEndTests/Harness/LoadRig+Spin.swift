import Testing

extension LoadRig {
    /// Expects that a daemon of which no one asks anything keeps no processor busy; time passes by
    /// asking the origin.
    func expectNoSpin(_ proxy: Daemon) throws {
        let clock = ContinuousClock()
        let before = try proxy.processorSeconds()
        let elapsed = try clock.measure {
            for _ in 0..<60 { _ = try ask("/elsewhere") }
        }
        let share = (try proxy.processorSeconds() - before) / (elapsed / .seconds(1))
        #expect(share < 0.25)
    }
}
