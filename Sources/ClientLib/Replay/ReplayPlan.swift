/// How often, how fast and how far exchanges are sent again.
public struct ReplayPlan: Sendable {
    /// When requests begin.
    public enum Pacing: String, Sendable, Hashable, CaseIterable {
        /// As soon as there is room, or after the delay.
        case none
        /// As far apart as the originals were, where there is room.
        case original
    }

    /// How like the originals the replays are.
    public var fidelity = ReplayFidelity.semantic
    /// Which version of HTTP is spoken.
    public var version = ReplayVersion.recorded
    /// What is changed.
    public var edits: [ReplayEdit] = []
    /// How often each exchange is sent.
    public var roundCount = 1
    /// Requests on their way at the same time.
    public var concurrency = 1
    /// Between the beginnings of two requests at least.
    public var delay = Duration.zero
    /// Added to the delay: anything from nothing to this, evenly.
    public var jitter = Duration.zero
    /// What the jitter is drawn from; the same seed gives the same delays. Nil for a random one.
    public var seed: UInt64?
    /// When requests begin.
    public var pacing = Pacing.none
    /// Whether a request of whose body only the beginning was kept is sent with that, its length
    /// made anew; else it is refused.
    public var sendsTruncatedBodies = false
    /// How long a response is read that goes on, as an event stream does; then the request is given
    /// up, which is no failure. Nil for as long as it lasts.
    public var duration: Duration?
    /// Whether nothing new is sent after a replay that went otherwise than its original.
    public var stopsOnMismatch = false

    /// Each exchange once, one after the other.
    public init() {}
}
