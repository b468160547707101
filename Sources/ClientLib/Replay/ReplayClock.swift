internal import ProxydEventLoops

/// What time it is for a replay, and how it waits; tests bring their own.
public protocol ReplayClock: Sendable {
    /// Now, nanoseconds since whenever.
    func now() -> Int64
    /// Waits until then, or until the task is cancelled.
    func wait(until timeNs: Int64) async throws
}

/// The monotonic clock.
public struct SystemReplayClock: ReplayClock {
    /// The clock.
    public init() {}

    /// Now.
    public func now() -> Int64 { EventLoop.monotonicNow() }

    /// Sleeps until then.
    public func wait(until timeNs: Int64) async throws {
        let rest = timeNs &- now()
        if rest > 0 { try await Task.sleep(for: .nanoseconds(rest)) }
    }
}
