/// The state of a request.
///
/// ```
/// initialized ──▶ resumed ◀──▶ suspended
///      │             ├──────────────┤
///      └──▶ cancelled ◀─────────────┤
///      └──▶ finished ◀──────────────┘
/// ```
/// `cancelled` and `finished` are final.
public enum RequestState: Sendable, Hashable {
    /// Created, but not started.
    case initialized
    /// Running.
    case resumed
    /// Paused: nothing more is sent or read except what is already in transit.
    case suspended
    /// Cancelled before it ended.
    case cancelled
    /// Ended, with or without an error.
    case finished

    /// Whether a request may change from this state to another.
    public func canTransition(to next: RequestState) -> Bool {
        switch (self, next) {
        case (.initialized, _): true
        case (_, .initialized), (.cancelled, _), (.finished, _): false
        case (.resumed, .cancelled), (.suspended, .cancelled), (.resumed, .suspended),
            (.suspended, .resumed):
            true
        case (.resumed, .resumed), (.suspended, .suspended): false
        case (_, .finished): true
        }
    }
}
