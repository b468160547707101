internal import Dispatch

/// Queues on which handlers are called; nil means the request's own task.
extension Optional where Wrapped == DispatchQueue {
    /// Calls `body` and waits until it returns.
    func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        guard let queue = self else { return try body() }
        try await withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Calls `body`, possibly later.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        guard let queue = self else { return body() }
        queue.async(execute: body)
    }

    /// A handler that calls `handler` on the queue.
    func calling<Value: Sendable>(
        _ handler: @escaping @Sendable (Value) -> Void
    ) -> @Sendable (Value) -> Void {
        guard let queue = self else { return handler }
        return { value in queue.async { handler(value) } }
    }
}
