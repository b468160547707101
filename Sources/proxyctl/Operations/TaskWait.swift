internal import ProxydSystem

/// Waits for an asynchronous operation on a thread that may block.
enum TaskWait {
    /// The time between checks for cancellation.
    private static let intervalNs: Int64 = 50_000_000

    /// The result of the closure. On cancellation its task is cancelled, and still awaited.
    static func result<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value, _ isCancelled: () -> Bool
    ) -> Result<Value, any Error> {
        let ended = Promise<Result<Value, any Error>>()
        let task = Task {
            do {
                ended.fulfil(.success(try await body()))
            } catch {
                ended.fulfil(.failure(error))
            }
        }
        while true {
            if let result = ended.wait(forNs: intervalNs) { return result }
            if isCancelled() { task.cancel() }
        }
    }
}
