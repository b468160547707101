/// Carries a loop-confined value across threads; gives it back only on its loop.
///
/// Sendable without a check. Proof: the value can be read only through `value`, which stops the
/// program off the loop; and when the last copy is dropped elsewhere, the value is sent home and
/// released on the loop (or leaked, when the loop has stopped and would never run the release).
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
        return box.value
    }

    private final class Box {
        let value: Value
        let loop: EventLoop

        init(_ value: Value, loop: EventLoop) {
            self.value = value
            self.loop = loop
        }

        deinit {
            guard !loop.isOnLoop else { return }
            // Nobody else holds the value any more, so handing it over is no sharing.
            nonisolated(unsafe) let value = value
            loop.execute { _ = value }
        }
    }
}
