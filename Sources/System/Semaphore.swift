internal import Dispatch

/// Counts what there is to do; threads sleep until there is some.
public final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Nothing to do yet.
    public init() {}

    /// Adds one, and wakes a thread that waits.
    public func signal() { semaphore.signal() }

    /// Waits for one and takes it.
    public func wait() { semaphore.wait() }

    /// Waits a time at most.
    /// - Returns: Whether there was one.
    public func wait(forNs nanoseconds: Int64) -> Bool {
        semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }
}
