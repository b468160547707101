internal import ProxydSystem
internal import Glibc
internal import Synchronization

/// Several loops, each on its own thread.
public final class EventLoopGroup: Sendable {
    /// The loops, at least one.
    public let loops: [EventLoop]
    private let threads: Mutex<[pthread_t]>
    private let turn = Atomic<Int>(0)

    /// Starts `count` loops (at least one). Throws if the system has no descriptors or threads
    /// left.
    public convenience init(
        count: Int, lingering: LingerLimits = LingerLimits()
    ) throws(StreamError) {
        try self.init(count: count, lingering: lingering, stackByteCount: 2 << 20)
    }

    /// Starts loops whose threads have stacks of this size, in bytes; the system refuses one that
    /// is too large.
    init(
        count: Int, lingering: LingerLimits = LingerLimits(), stackByteCount: Int
    ) throws(StreamError) {
        var loops: [EventLoop] = []
        var threads: [pthread_t] = []
        for _ in 0..<max(1, count) {
            let loop = try EventLoop(lingering: lingering)
            guard let thread = startThread(stackByteCount: stackByteCount, { loop.run() })
            else {
                EventLoopGroup.join(loops, threads)
                throw StreamError(
                    kind: .exhausted,
                    message: "the system cannot start a thread for an event loop (see ulimit -u)",
                    errorNumber: EAGAIN)
            }
            loops.append(loop)
            threads.append(thread)
        }
        self.loops = loops
        self.threads = Mutex(threads)
    }

    /// Returns the loops in turn; may be called on any thread.
    public func next() -> EventLoop {
        let (turn, _) = turn.wrappingAdd(1, ordering: .relaxed)
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    /// Stops the loops and waits for their threads. Must not be called on one of the loops. A
    /// second call does nothing.
    public func shutdown() {
        precondition(!loops.contains { $0.isOnLoop }, "a loop cannot wait for itself")
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        EventLoopGroup.join(loops, threads)
    }

    private static func join(_ loops: [EventLoop], _ threads: [pthread_t]) {
        for loop in loops { loop.stop() }
        for thread in threads { pthread_join(thread, nil) }
    }
}

/// Carries a loop-confined value across threads; it can be read only on its loop.
///
/// Sendable without a check. Proof: the value can be read only through `value`, which traps off the
/// loop; and when the last copy is dropped on another thread, the value is released on the loop (or
/// leaked, if the loop has stopped and would never run the release).
public struct LoopBound<Value>: @unchecked Sendable {
    public let loop: EventLoop
    private let box: Box

    /// Binds a value. On the loop only.
    public init(_ value: Value, loop: EventLoop) {
        loop.preconditionOnLoop()
        self.loop = loop
        box = Box(value, loop: loop)
    }

    /// The value. On the loop only.
    public var value: Value {
        loop.preconditionOnLoop()
        return box.storage.pointee
    }

    /// Stores the value in separate memory, so that the last reference moves to the loop with the
    /// pointer and none remains on the thread that dropped the box.
    private final class Box {
        let storage: UnsafeMutablePointer<Value>
        let loop: EventLoop

        init(_ value: Value, loop: EventLoop) {
            storage = .allocate(capacity: 1)
            storage.initialize(to: value)
            self.loop = loop
        }

        deinit {
            // No one else has the pointer any more, so passing it on does not share it.
            nonisolated(unsafe) let storage = storage
            if loop.isOnLoop { return Box.free(storage) }
            loop.execute { Box.free(storage) }
        }

        private static func free(_ storage: UnsafeMutablePointer<Value>) {
            storage.deinitialize(count: 1)
            storage.deallocate()
        }
    }
}
