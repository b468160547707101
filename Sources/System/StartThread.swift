public import Glibc

/// Starts a thread.
///
/// Foundation's threads do not report when the system refuses to create one; code that waits for
/// such a thread would wait forever.
/// - Parameters:
///   - stackByteCount: The size of the thread's stack, in bytes.
///   - body: The closure to run; the thread ends when it returns.
/// - Returns: The thread, which must be joined or detached; nil if the system refuses to create one
///   (its limit is reached).
public func startThread(
    stackByteCount: Int, _ body: @escaping @Sendable () -> Void
) -> pthread_t? {
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
/// - Parameters:
///   - stackByteCount: The size of the thread's stack, in bytes.
///   - body: The closure to run.
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
