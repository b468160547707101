public import Glibc

/// Starts a thread.
///
/// Foundation's threads do not say when the system refuses one, and whoever waits for such a thread
/// waits for ever.
/// - Parameters:
///   - stackByteCount: The size of its stack.
///   - body: What it runs; the thread ends with it.
/// - Returns: The thread, to be joined or detached; nil when the system refuses one (its limit is
///   reached).
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

/// Starts a thread that ends by itself; nobody can wait for it.
/// - Parameters:
///   - stackByteCount: The size of its stack.
///   - body: What it runs.
/// - Returns: False when the system refuses one: the body is not run then.
public func startDetachedThread(
    stackByteCount: Int, _ body: @escaping @Sendable () -> Void
) -> Bool {
    guard let thread = startThread(stackByteCount: stackByteCount, body) else { return false }
    pthread_detach(thread)
    return true
}

/// What a thread runs: retained when the thread is started, released by the thread itself.
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
