internal import Dispatch
internal import Synchronization

/// Waits for something asynchronous on a thread that may wait.
enum TaskWait {
    /// How often it is asked whether somebody wants it to end.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    /// What the body gave or threw. Where nobody wants it any more its task is cancelled, and it
    /// still is waited for.
    static func result<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value, _ isCancelled: () -> Bool
    ) -> Result<Value, any Error> {
        let ended = DispatchSemaphore(value: 0)
        let box = Box<Value>()
        let task = Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            box.result.withLock { $0 = result }
            ended.signal()
        }
        while ended.wait(timeout: .now() + interval) == .timedOut {
            if isCancelled() { task.cancel() }
        }
        return box.result.withLock { $0 } ?? .failure(CancellationError())
    }

    private final class Box<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }
}
