import ProxydEventLoops
import Synchronization

/// Runs a scenario on a fresh loop until it calls `finish`, and gives back what it finished with.
func onLoop<Value: Sendable>(
    lingering: LingerLimits = LingerLimits(),
    _ scenario: @escaping @Sendable (EventLoop, @escaping @Sendable (Value) -> Void) throws -> Void
) async throws -> Value {
    let group = try EventLoopGroup(count: 1, lingering: lingering)
    defer { group.shutdown() }
    return try await withCheckedThrowingContinuation { continuation in
        let once = Once(continuation)
        let loop = group.next()
        loop.execute {
            do { try scenario(loop) { once.resume(.success($0)) } } catch {
                once.resume(.failure(error))
            }
        }
    }
}

/// A continuation that later calls cannot resume again.
final class Once<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>
    private let isDone = Atomic(false)

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    func resume(_ result: Result<Value, any Error>) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        continuation.resume(with: result)
    }
}
