/// Why a source is not being read. It is read again when no reason is left.
struct PauseReasons: OptionSet {
    let rawValue: UInt8

    /// The other side takes what came more slowly than it comes.
    static let slowPeer = PauseReasons(rawValue: 1)
    /// The recorder cannot follow.
    static let recorder = PauseReasons(rawValue: 2)
    /// What came waits for an actor.
    static let held = PauseReasons(rawValue: 8)
    /// The source is ahead: its next message waits for the present one.
    static let pipelined = PauseReasons(rawValue: 4)
    /// What came is being edited.
    static let edited = PauseReasons(rawValue: 16)

    /// Adds or removes a reason.
    /// - Returns: Whether the source is to be paused now, or read again; nil where it stays as it
    ///   is.
    mutating func set(_ reason: PauseReasons, _ isPaused: Bool) -> Bool? {
        let wasPaused = !isEmpty
        if isPaused { insert(reason) } else { remove(reason) }
        return wasPaused == isEmpty ? !isEmpty : nil
    }
}
