internal import Dispatch
public import ProxydEventLoops

/// One event loop for all runs of a fuzzer, on a thread of its own.
public enum FuzzLoop {
    private static let loop: EventLoop = {
        // Without descriptors for one loop there is nothing to fuzz.
        guard let group = try? EventLoopGroup(count: 1) else { fatalError("no loop") }
        return group.next()
    }()

    /// Makes something on the loop and lets it take steps, one a turn of the loop, until `step`
    /// says that it was the last.
    public static func play<State>(
        _ begin: @escaping @Sendable (EventLoop) -> State,
        step: @escaping @Sendable (State) -> Bool
    ) {
        let isOver = DispatchSemaphore(value: 0)
        loop.execute {
            turn(LoopBound(begin(loop), loop: loop), step, isOver)
        }
        isOver.wait()
    }

    private static func turn<State>(
        _ state: LoopBound<State>, _ step: @escaping @Sendable (State) -> Bool,
        _ isOver: DispatchSemaphore
    ) {
        loop.execute {
            if step(state.value) {
                turn(state, step, isOver)
            } else {
                isOver.signal()
            }
        }
    }
}
