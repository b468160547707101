internal import Synchronization

/// A lookup in progress. Loop-confined.
public final class LookupRequest {
    /// Tells the lookup threads that the answer is no longer wanted.
    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)
        var isSet: Bool { flag.load(ordering: .relaxed) }
        func set() { flag.store(true, ordering: .relaxed) }
    }

    let cancellation = Cancellation()
    private let loop: EventLoop
    private var completion: ((Resolver.Outcome) -> Void)?
    private var deadline: Timer?

    init(loop: EventLoop, completion: @escaping (Resolver.Outcome) -> Void) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.completion = completion
    }

    /// Cancels the request; the completion is not called. The lookup thread may continue for a
    /// while.
    public func cancel() {
        loop.preconditionOnLoop()
        _ = end()
    }

    func expire(afterNs: Int64) {
        deadline = loop.schedule(afterNs: afterNs) { [self] in finish(.failure(.timedOut)) }
    }

    func finish(_ outcome: Resolver.Outcome) { end()?(outcome) }

    private func end() -> ((Resolver.Outcome) -> Void)? {
        defer { completion = nil }
        cancellation.set()
        deadline?.cancel()
        deadline = nil
        return completion
    }
}
