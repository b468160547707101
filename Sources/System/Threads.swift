internal import Dispatch
public import Glibc
internal import Synchronization

/// Starts a thread. Foundation's threads do not report when the system refuses to create one; code
/// that waits for such a thread would wait forever.
/// - Returns: The thread, which must be joined or detached; nil if the system refuses to create one
///   (its limit is reached).
public func startThread(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    let argument = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    guard pthread_create(&thread, &attributes, threadCallback, argument.toOpaque()) == 0 else {
        argument.release()
        return nil
    }
    return thread
}

/// Starts a detached thread, which cannot be joined.
/// - Returns: False if the system refuses to create a thread, in which case `body` does not run.
public func startDetachedThread(
    stackByteCount: Int, _ body: @escaping @Sendable () -> Void
) -> Bool {
    guard let thread = startThread(stackByteCount: stackByteCount, body) else { return false }
    pthread_detach(thread)
    return true
}

/// The closure of a thread: retained when the thread is started, released by the thread itself.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Called by pthreads on the new thread.
private func threadCallback(argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}

/// A value that one thread will provide and other threads wait for.
public final class Promise<Value: Sendable>: Sendable {
    private let semaphore = Semaphore()
    private let value = Mutex<Value?>(nil)

    public init() {}

    /// Sets the value; must be called only once.
    public func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        semaphore.signal()
    }

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

/// A counting semaphore: threads sleep until the count is positive.
public final class Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

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
