internal import Synchronization

/// A value that one thread will have and others wait for.
public final class Promise<Value: Sendable>: Sendable {
    private let semaphore = Semaphore()
    private let value = Mutex<Value?>(nil)

    /// No value yet.
    public init() {}

    /// Gives the value; once.
    public func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        semaphore.signal()
    }

    /// Waits for the value.
    public func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = taken() { return value }
        }
    }

    /// Waits for the value a time at most; nil where it has not come by then.
    public func wait(forNs nanoseconds: Int64) -> Value? {
        semaphore.wait(forNs: nanoseconds) ? taken() : nil
    }

    /// The value; whoever else waits gets it, too.
    private func taken() -> Value? {
        guard let value = value.withLock({ $0 }) else { return nil }
        semaphore.signal()
        return value
    }
}
