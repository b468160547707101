/// Where a request is in its life.
///
/// ```
/// initialized ──▶ resumed ◀──▶ suspended
///      │             ├──────────────┤
///      └──▶ cancelled ◀─────────────┤
///      └──▶ finished ◀──────────────┘
/// ```
/// `cancelled` and `finished` are final.
public enum RequestState: Sendable, Hashable {
    /// Made, and not started.
    case initialized
    /// Under way.
    case resumed
    /// Paused: nothing is sent or read on its behalf but what is on its way.
    case suspended
    /// Given up.
    case cancelled
    /// Over.
    case finished

    /// Whether a request may go from this state to another.
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
