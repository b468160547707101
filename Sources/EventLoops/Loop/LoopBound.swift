/// Carries a loop-confined value across threads; it can be read only on its loop.
///
/// Sendable without a check. Proof: the value can be read only through `value`, which traps off the
/// loop; and when the last copy is dropped on another thread, the value is released on the loop (or
/// leaked, if the loop has stopped and would never run the release).
public struct LoopBound<Value>: @unchecked Sendable {
    /// The loop the value belongs to.
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
