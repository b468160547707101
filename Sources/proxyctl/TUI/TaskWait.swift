internal import ProxydSystem

/// Waits for something asynchronous on a thread that may wait.
enum TaskWait {
    /// How often it is asked whether someone wants it to end.
    private static let intervalNs: Int64 = 50_000_000

    /// What the body gave or threw. Where no one wants it any more its task is cancelled, and it
    /// still is waited for.
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
