/// Why a source is not being read. Reading resumes once no reason is left.
struct PauseReasons: OptionSet {
    let rawValue: UInt8

    /// The other side takes bytes more slowly than they arrive.
    static let slowPeer = PauseReasons(rawValue: 1)
    /// The recorder cannot keep up.
    static let recorder = PauseReasons(rawValue: 2)
    /// What arrived waits for an actor.
    static let undecided = PauseReasons(rawValue: 8)
    /// The source is ahead: its next message waits until the current one has been answered.
    static let pipelined = PauseReasons(rawValue: 4)
    /// An editor is working on what arrived.
    static let edited = PauseReasons(rawValue: 16)

    /// Adds or removes a reason.
    /// - Returns: Whether the source must be paused or resumed now; nil if nothing changes.
    mutating func set(_ reason: PauseReasons, _ isPaused: Bool) -> Bool? {
        let wasPaused = !isEmpty
        if isPaused { insert(reason) } else { remove(reason) }
        return wasPaused == isEmpty ? !isEmpty : nil
    }
}
