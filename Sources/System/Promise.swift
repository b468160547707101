internal import Synchronization

/// A value that one thread will provide and other threads wait for.
public final class Promise<Value: Sendable>: Sendable {
    private let semaphore = Semaphore()
    private let value = Mutex<Value?>(nil)

    /// Creates a promise without a value.
    public init() {}

    /// Sets the value; must be called only once.
    public func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        semaphore.signal()
    }

    /// Blocks until there is a value.
    public func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = taken() { return value }
        }
    }

    /// Blocks for a limited time; returns nil if there is no value by then.
    public func wait(forNs nanoseconds: Int64) -> Value? {
        semaphore.wait(forNs: nanoseconds) ? taken() : nil
    }

    /// Returns the value and wakes the next waiting thread.
    private func taken() -> Value? {
        guard let value = value.withLock({ $0 }) else { return nil }
        semaphore.signal()
        return value
    }
}
