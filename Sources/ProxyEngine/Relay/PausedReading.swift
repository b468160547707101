internal import ProxydEventLoops

/// For what reasons a client's stream is not read.
struct PausedReading {
    private(set) var reasons: PauseReasons = []

    /// Adds or removes a reason.
    /// - Parameter stream: What is paused and read on; nil where another one reads it now.
    mutating func set(_ reason: PauseReasons, _ isPaused: Bool, on stream: (any DuplexStream)?) {
        let wasPaused = !reasons.isEmpty
        if isPaused { reasons.insert(reason) } else { reasons.remove(reason) }
        guard let stream else { return }
        if wasPaused == reasons.isEmpty {
            if reasons.isEmpty { stream.resumeReading() } else { stream.pauseReading() }
        }
        // These may last until a person decides.
        if !reasons.isDisjoint(with: [.held, .pipelined]) { stream.watchForEnd() }
    }
}
