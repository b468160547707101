internal import Dispatch
internal import Synchronization

/// A value that one thread will have and another waits for.
final class Promise<Value: Sendable>: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let value = Mutex<Value?>(nil)

    /// Gives the value; once.
    func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        semaphore.signal()
    }

    /// Waits for the value.
    func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) {
                semaphore.signal()
                return value
            }
        }
    }
}
