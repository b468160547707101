internal import Synchronization

/// A clock that stands still until it is told to go on.
public final class ManualClock: Clock, Sendable {
    /// A time on the clock.
    public struct Instant: InstantProtocol {
        /// How far the clock has come.
        public var offset: Duration

        /// A time.
        public init(offset: Duration) { self.offset = offset }

        /// A later time.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long it is to another time.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state = Mutex(State())
    /// Tells about each task that begins to sleep.
    public let arrivals: AsyncStream<Duration>
    private let arrival: AsyncStream<Duration>.Continuation

    /// A clock at zero.
    public init() { (arrivals, arrival) = AsyncStream.makeStream(of: Duration.self) }

    /// The time.
    public var now: Instant { state.withLock { $0.now } }
    /// None.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock was advanced so far.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(id) { return true }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                arrival.yield(now.duration(to: deadline))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock on, and wakes who slept until then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
