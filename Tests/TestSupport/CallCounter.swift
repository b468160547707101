import Synchronization

/// Counts calls from any thread.
public final class CallCounter: Sendable {
    private let calls = Mutex(0)

    /// Starts at 0.
    public init() {}

    /// How many calls there were.
    public var count: Int { calls.withLock { $0 } }

    /// Notes a call, and returns its number, from 1.
    @discardableResult
    public func add() -> Int {
        calls.withLock { calls in
            calls += 1
            return calls
        }
    }
}
