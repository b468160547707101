internal import Dispatch

/// A counting semaphore: threads sleep until the count is positive.
public final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates a semaphore with a count of zero.
    public init() {}

    /// Increments the count and wakes a waiting thread.
    public func signal() { semaphore.signal() }

    /// Blocks until the count is positive, and decrements it.
    public func wait() { semaphore.wait() }

    /// Blocks for a limited time.
    /// - Returns: Whether the count was positive and was decremented.
    public func wait(forNs nanoseconds: Int64) -> Bool {
        semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }
}
